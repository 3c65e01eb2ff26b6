import { createNetworkList } from '@berth/kit/node';
import { isPublicAddress } from './is-public-address.ts';

/** Says whether a connection may be made to an address for somebody who isn't trusted. */
export type AddressRule = (address: string) => boolean;

/**
 * Public addresses, this machine's own among them, and those of the operator's own networks.
 * @param networks such as `10.0.0.0/8` or `fd00::/8`.
 * @throws RangeError that names the one that is no network.
 */
export function createAddressRule(networks: readonly string[] = []): AddressRule {
  const isOwn = createNetworkList(networks);
  return (address) => isPublicAddress(address) || isOwn(address);
}
