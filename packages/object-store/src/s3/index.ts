export { createS3ObjectStore, type S3ObjectStoreOptions } from './create-s3-object-store.ts';
