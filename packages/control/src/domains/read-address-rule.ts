import { createError } from '@berth/contract';
import { type AddressRule, createAddressRule } from '@berth/outbound';

/**
 * Returns the rule that allows public addresses and the operator's own networks.
 * @param networks such as `10.0.0.0/8` or `fd00::/8`.
 * @throws `invalid` naming the text that is not a network.
 */
export function readAddressRule(networks: readonly string[]): AddressRule {
  try {
    return createAddressRule(networks);
  } catch (error) {
    throw createError('invalid', (error as RangeError).message);
  }
}
