import { BlockList, isIP } from 'node:net';
import { createError } from '@berth/contract';
import { isPublicAddress } from './is-public-address.ts';

/** Says whether the platform may connect to an address for a tenant. */
export type AddressRule = (address: string) => boolean;

/**
 * Public addresses, and those of the operator's own networks.
 * @param networks such as `10.0.0.0/8` or `fd00::/8`.
 * @throws `invalid` naming the one that is no network.
 */
export function createAddressRule(networks: readonly string[]): AddressRule {
  const own = new BlockList();
  for (const network of networks) {
    const [address = '', prefixText = '', ...rest] = network.split('/');
    const family = isIP(address);
    const prefix = /^\d{1,3}$/.test(prefixText) ? Number(prefixText) : Number.NaN;
    if (family === 0 || rest.length > 0 || !(prefix <= (family === 4 ? 32 : 128))) {
      throw createError('invalid', `"${network}" is no network such as 10.0.0.0/8.`);
    }
    own.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
  }
  return (address) => {
    if (isPublicAddress(address)) return true;
    const family = isIP(address);
    return family !== 0 && own.check(address, family === 4 ? 'ipv4' : 'ipv6');
  };
}
