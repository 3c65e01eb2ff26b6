export { describeObjectStore, type ObjectStoreHarness } from './describe-object-store.ts';
export { describeSharedUploads } from './describe-shared-uploads.ts';
