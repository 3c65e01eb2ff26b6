import { createError } from '@berth/contract';
import { createNetworkList } from '@berth/kit/node';
import { isPublicAddress } from './is-public-address.ts';

/** Says whether the platform may connect to an address for a tenant. */
export type AddressRule = (address: string) => boolean;

/**
 * Public addresses, and those of the operator's own networks.
 * @param networks such as `10.0.0.0/8` or `fd00::/8`.
 * @throws `invalid` naming the one that is no network.
 */
export function createAddressRule(networks: readonly string[]): AddressRule {
  const isOwn = readNetworks(networks);
  return (address) => isPublicAddress(address) || isOwn(address);
}

function readNetworks(networks: readonly string[]) {
  try {
    return createNetworkList(networks);
  } catch (error) {
    throw createError('invalid', (error as RangeError).message);
  }
}
