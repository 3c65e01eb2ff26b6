import { expect, test } from 'vitest';
import { findFreeSubnets, parseAddressPool } from './address-pool.ts';

test('a pool is cut into networks of 61 instances', () => {
  const pool = parseAddressPool('10.213.0.0/16');
  const all = findFreeSubnets(pool, new Set());
  expect(all).toHaveLength(1_024);
  expect([all[0], all[1], all.at(-1)]).toEqual(['10.213.0.0/26', '10.213.0.64/26', '10.213.255.192/26']);
  expect(findFreeSubnets(pool, new Set(all.slice(0, 2)))[0]).toBe('10.213.0.128/26');
  expect(findFreeSubnets(parseAddressPool('192.168.7.64/26'), new Set())).toEqual(['192.168.7.64/26']);
});

test.each(['', '10.0.0.0', '10.0.0.0/27', '10.0.0.0/4', '10.0.0.1/16', '256.0.0.0/16', 'fd00::/64', '10.0.0/16'])(
  '"%s" is no pool',
  (text) => {
    expect(() => parseAddressPool(text)).toThrow(RangeError);
  },
);
