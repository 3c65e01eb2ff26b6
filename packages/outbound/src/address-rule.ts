import { createNetworkList } from '@berth/kit/node';
import { isPublicAddress } from './is-public-address.ts';

/** Decides whether an untrusted party may cause a connection to an address. */
export type AddressRule = (address: string) => boolean;

/**
 * Returns a rule that allows public addresses, including this machine's own, and the operator's networks.
 * @param networks such as `10.0.0.0/8` or `fd00::/8`.
 * @throws RangeError that names an invalid network.
 */
export function createAddressRule(networks: readonly string[] = []): AddressRule {
  const isOwn = createNetworkList(networks);
  return (address) => isPublicAddress(address) || isOwn(address);
}
