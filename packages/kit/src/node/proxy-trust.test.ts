import { expect, test } from 'vitest';
import { createNetworkList } from './network-list.ts';
import { createProxyTrust } from './proxy-trust.ts';

test('networks need a prefix; invalid ones are named in the error', () => {
  const has = createNetworkList(['10.0.0.0/8', '192.0.2.7/32', 'fd00::/8']);
  const inside = ['10.1.2.3', '::ffff:10.1.2.3', '192.0.2.7', 'fd12::1'];
  const outside = ['11.0.0.1', '192.0.2.8', 'fe80::1', '', 'ten'];
  expect(inside.map(has)).toEqual(inside.map(() => true));
  expect(outside.map(has)).toEqual(outside.map(() => false));
  for (const wrong of ['10.0.0.0', '10.0.0.0/33', 'host', '10.0.0.0/', '::/129', '10.0.0.0/8/8', '']) {
    expect(() => createNetworkList([wrong])).toThrow(`"${wrong}" is not a network`);
  }
});

test('only trusted proxies are believed', () => {
  expect(createProxyTrust([]).clientOf('::ffff:203.0.113.5', '198.51.100.1')).toBe('203.0.113.5');
  const { clientOf } = createProxyTrust(['10.0.0.0/8']);
  expect(clientOf('203.0.113.5', '198.51.100.1')).toBe('203.0.113.5');
  expect(clientOf('10.0.0.1', undefined)).toBe('10.0.0.1');
});

test('the client is the last address that is no proxy; earlier entries are ignored', () => {
  const { clientOf } = createProxyTrust(['10.0.0.0/8', '2001:db8:1::/48']);
  expect(clientOf('10.0.0.1', '198.51.100.1')).toBe('198.51.100.1');
  expect(clientOf('10.0.0.1', '127.0.0.1, 198.51.100.1')).toBe('198.51.100.1');
  expect(clientOf('10.0.0.1', '127.0.0.1, 198.51.100.1:4711 ,10.0.0.2')).toBe('198.51.100.1');
  expect(clientOf('2001:db8:1::5', '[2001:db8:9::1]:443')).toBe('2001:db8:9::1');
  expect(clientOf('10.0.0.1', '10.0.0.3, 10.0.0.2')).toBe('10.0.0.3');
  expect(clientOf('10.0.0.1', '198.51.100.1, unknown, 10.0.0.2')).toBe('10.0.0.2');
  expect(clientOf('10.0.0.1', '')).toBe('10.0.0.1');
});
