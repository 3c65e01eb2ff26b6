export { changeMode } from './change-mode.ts';
export { shareWithGroup } from './share-with-group.ts';
export { ignoreMissing, openFolder, type TreeEntry, walkTree } from './walk-tree.ts';
