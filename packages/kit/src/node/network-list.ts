import { BlockList, isIP } from 'node:net';

/**
 * Reports whether an address lies in one of several networks. An IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) counts as
 * IPv4.
 */
export type NetworkList = (address: string) => boolean;

/**
 * Creates a predicate that reports whether an address lies in one of `networks`.
 * @param networks in CIDR notation, such as `10.0.0.0/8` or `fd00::/8`; a single address is `192.0.2.1/32`.
 * @throws RangeError that names the invalid network.
 */
export function createNetworkList(networks: readonly string[]): NetworkList {
  if (networks.length === 0) return () => false;
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefixText = '', ...rest] = network.split('/');
    const family = isIP(address);
    const bits = family === 4 ? 32 : 128;
    const prefix = /^\d{1,3}$/.test(prefixText) ? Number(prefixText) : Number.NaN;
    if (family === 0 || rest.length > 0 || !(prefix <= bits)) {
      throw new RangeError(`"${network}" is not a network such as 10.0.0.0/8; one address is 192.0.2.1/32.`);
    }
    list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
  }
  return (address) => {
    const plain = plainAddress(address);
    const family = isIP(plain);
    return family !== 0 && list.check(plain, family === 4 ? 'ipv4' : 'ipv6');
  };
}

/** Returns an IPv4-mapped IPv6 address as plain IPv4; every other address unchanged. */
export function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
