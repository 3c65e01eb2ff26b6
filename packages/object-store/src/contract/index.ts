export { describeObjectStore, type ObjectStoreHarness } from './describe-object-store.ts';
