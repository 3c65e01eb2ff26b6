export { createDiskMeter, type DiskMeter } from './disk-meter.ts';
export { syncFolder, writePrivateFile } from './durable-files.ts';
export { entityTag } from './entity-tag.ts';
export { createFileWriter, type FileWriter } from './file-writer.ts';
export { findHome } from './find-home.ts';
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
export { createProxyTrust, type ProxyTrust } from './proxy-trust.ts';
export { createSecretBox, type SecretBox } from './secret-box.ts';
