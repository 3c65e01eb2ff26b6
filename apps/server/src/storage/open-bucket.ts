import type { Clock } from '@berth/kit';
import type { ObjectStore } from '@berth/object-store';
import type { Config } from '../config/read-config.ts';

/** Opens a bucket of the operator's S3 service. @param place `keyPrefix`: prefix of all keys, for a shared bucket; `clock`: for resumable uploads */
export async function openBucket(
  config: Config,
  place: { readonly bucket: string; readonly keyPrefix?: string; readonly clock?: Clock },
): Promise<ObjectStore> {
  // The S3 client takes 17 MB of memory, which most platforms don't need.
  const { createS3ObjectStore } = await import('@berth/object-store/s3');
  const { s3Region: region, s3Endpoint: endpoint } = config;
  const { s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = config;
  return createS3ObjectStore({
    ...place,
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
  });
}
