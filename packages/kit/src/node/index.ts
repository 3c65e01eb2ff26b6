export { createDiskMeter, type DiskMeter } from './disk-meter.ts';
export { entityTag } from './entity-tag.ts';
export { createFileWriter, type FileWriter } from './file-writer.ts';
export { createNetworkList, type NetworkList, plainAddress } from './network-list.ts';
export {
  codeOf,
  ensureFolders,
  inheritedGroup,
  isAbsence,
  makeBelow,
  type OpenFolder,
  openBelow,
  openFolder,
  refuseClimb,
  statOf,
} from './open-folder.ts';
export { type AddressRule, createAddressRule } from './outbound/address-rule.ts';
export { decodeBody, isDecodable } from './outbound/decode-body.ts';
export { createGuardedConnections, type GuardedConnections } from './outbound/guarded-connections.ts';
export { type GuardedAnswer, type GuardedFetchOptions, guardedFetch } from './outbound/guarded-fetch.ts';
export { guardedRequest } from './outbound/guarded-request.ts';
export type { GuardedRequestOptions, GuardedResponse } from './outbound/guarded-request-options.ts';
export { isOwnAddress, isPublicAddress } from './outbound/is-public-address.ts';
export { OutboundError, type OutboundFault } from './outbound/outbound-error.ts';
export { readUpTo } from './outbound/read-up-to.ts';
export { createProxyTrust, type ProxyTrust } from './proxy-trust.ts';
