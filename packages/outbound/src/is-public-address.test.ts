import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAddressRule } from './address-rule.ts';
import { isPublicAddress } from './is-public-address.ts';

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '100.63.255.255',
  '100.128.0.0',
  '168.63.129.15',
  '172.15.0.1',
  '172.32.0.1',
  '192.167.0.1',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:82a::200e',
])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.0.192',
  '192.0.2.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:8.8.8.8',
  '::ffff:7f00:1',
  '::7f00:1',
  '64:ff9b::808:808',
  '64:ff9b:1::1',
  'fc00::1',
  'fd12::1',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '3fff::1',
  '4000::1',
  '2606:4700::1%1',
  'localhost',
  '2130706433',
  '0x7f.1',
  '127.1',
  '[2606:4700::1]',
  '8.8.8.8 ',
  '',
])('%s is not', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test('no spelling of an IPv4 address inside an IPv6 one is public', () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.constantFrom('::ffff:', '::', '64:ff9b::'), (address, prefix) => {
      expect(isPublicAddress(prefix + address)).toBe(false);
    }),
  );
});

test("the operator's networks are allowed besides, and no others", () => {
  const isAllowed = createAddressRule(['10.1.0.0/16', 'fd00:1::/32', '127.0.0.1/32']);
  const asked = ['8.8.8.8', '10.1.2.3', '10.2.0.1', 'fd00:1::5', 'fd00:2::5', '127.0.0.1', '127.0.0.2', 'localhost'];
  expect(asked.filter(isAllowed)).toEqual(['8.8.8.8', '10.1.2.3', 'fd00:1::5', '127.0.0.1']);
});

test.each(['10.0.0.0', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', 'fd00::/129', 'lan/8', '10.0.0.0/-1', '/8'])(
  '"%s" is not a network',
  (network) => {
    expect(() => createAddressRule([network])).toThrow(`"${network}" is not a network`);
  },
);
