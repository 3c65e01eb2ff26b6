import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/**
 * Networks that are not part of the public internet. Source: IANA IPv4 Special-Purpose Address Registry. Metadata
 * services of clouds are in these networks too (169.254.169.254, Alibaba's 100.100.100.200, Oracle's 192.0.0.192),
 * except for Azure's host, 168.63.129.16.
 * Source: learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16.
 */
const SPECIAL_IPV4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/**
 * Networks inside 2000::/3 that are special, or embed IPv4 addresses (Teredo, 6to4).
 * Source: IANA IPv6 Special-Purpose Address Registry.
 */
const SPECIAL_IPV6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const special4 = new BlockList();
for (const [network, prefix] of SPECIAL_IPV4) special4.addSubnet(network, prefix, 'ipv4');
const special6 = new BlockList();
for (const [network, prefix] of SPECIAL_IPV6) special6.addSubnet(network, prefix, 'ipv6');
/**
 * The network of all global unicast IPv6. Source: RFC 4291 2.4. Metadata services are outside (Amazon's fd00:ec2::254,
 * Google's fd20:ce::254).
 */
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');

/**
 * Returns true for an address of the public internet, in the form that sockets and resolvers return (`1.2.3.4`,
 * `2a00::1`). Anything else is not public: private, loopback, link-local, mapped and translated addresses, zones, and
 * invalid addresses.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !special4.check(address, 'ipv4');
  if (family !== 6 || address.includes('%')) return false;
  return global6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
}

/**
 * Returns true for an address of this machine's own interfaces, at the time of the call. Even a public one leads
 * inside: this machine may reach what a firewall keeps from others.
 */
export function isOwnAddress(address: string): boolean {
  const own = new BlockList();
  for (const one of Object.values(networkInterfaces()).flat()) {
    if (one) own.addAddress(one.address, one.family === 'IPv4' ? 'ipv4' : 'ipv6');
  }
  const family = isIP(address);
  return family !== 0 && own.check(address, family === 4 ? 'ipv4' : 'ipv6');
}
