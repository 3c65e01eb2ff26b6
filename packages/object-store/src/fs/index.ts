export { createFsObjectStore, type FsObjectStoreOptions } from './create-fs-object-store.ts';
