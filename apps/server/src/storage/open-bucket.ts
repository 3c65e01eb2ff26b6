import type { ObjectStore } from '@berth/object-store';
import type { S3ObjectStoreOptions } from '@berth/object-store/s3';
import type { Config } from '../config/read-config.ts';

/** Key prefix of logs in a bucket that may also hold volumes. No account has this id. */
export const LOG_KEYS = 'logs/';

type BucketPlace = Pick<S3ObjectStoreOptions, 'bucket' | 'keyPrefix' | 'clock'>;

/** Opens a bucket of the operator's S3 service. */
export async function openBucket(config: Config, place: BucketPlace): Promise<ObjectStore> {
  // The S3 client takes 17 MB of memory, which most platforms don't need.
  const { createS3ObjectStore } = await import('@berth/object-store/s3');
  return createS3ObjectStore(bucketPlace(config, place));
}

/** Opens the bucket for backups, which may be on another service. */
export function openBackupBucket(config: Config, bucket: string): Promise<ObjectStore> {
  const { backupEndpoint, backupRegion, backupAccessKeyId, backupSecretAccessKey } = config;
  const own = {
    ...(backupEndpoint === undefined ? {} : { s3Endpoint: backupEndpoint }),
    ...(backupRegion === undefined ? {} : { s3Region: backupRegion }),
    ...(backupAccessKeyId === undefined
      ? {}
      : { s3AccessKeyId: backupAccessKeyId, s3SecretAccessKey: backupSecretAccessKey }),
  };
  return openBucket({ ...config, ...own }, { bucket });
}

/** Returns a bucket of the operator's S3 service with what is needed to use it. */
export function bucketPlace(config: Config, place: BucketPlace): S3ObjectStoreOptions {
  const { s3Region: region, s3Endpoint: endpoint } = config;
  const { s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = config;
  return {
    ...place,
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
  };
}
