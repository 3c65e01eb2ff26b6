export { type AddressRule, createAddressRule } from './address-rule.ts';
export { decodeBody, isDecodable } from './decode-body.ts';
export { type GuardedConnectOptions, guardedConnect } from './guarded-connect.ts';
export { createGuardedConnections, type GuardedConnections } from './guarded-connections.ts';
export { type GuardedAnswer, type GuardedFetchOptions, guardedFetch, readUpTo } from './guarded-fetch.ts';
export { guardedRequest } from './guarded-request.ts';
export type { GuardedRequestOptions, GuardedResponse } from './guarded-request-options.ts';
export { isOwnAddress, isPublicAddress } from './is-public-address.ts';
export { OutboundError, type OutboundFault } from './outbound-error.ts';
