import type { ObjectStore } from '@berth/object-store';
import type { Config } from '../config/read-config.ts';

/** Opens a bucket of the S3 service that the operator named. @param keyPrefix what its keys begin with, to share it */
export async function openBucket(
  config: Config,
  place: { readonly bucket: string; readonly keyPrefix?: string },
): Promise<ObjectStore> {
  // Its client takes seventeen megabytes that most platforms have no use for.
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
