export { changeMode } from './change-mode.ts';
export { inBatches } from './in-batches.ts';
export { type HostMount, openMount, refuseMount, toHostMount } from './open-mount.ts';
export { readIfThere } from './read-if-there.ts';
export { shareWithGroup } from './share-with-group.ts';
export { ignoreMissing, openFolder, type TreeEntry, walkTree } from './walk-tree.ts';
