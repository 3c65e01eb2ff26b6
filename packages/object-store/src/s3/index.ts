export { createS3ObjectStore, type S3ObjectStoreOptions } from './create-s3-object-store.ts';
export { type BucketObject, listBucket } from './list-bucket.ts';
