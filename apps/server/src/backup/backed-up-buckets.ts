import type { Config } from '../config/read-config.ts';
import { bucketPlace, LOG_KEYS } from '../storage/open-bucket.ts';
import type { BackedUpBucket } from './fill-backup.ts';

/** Returns the buckets of the settings, each with everything of the platform in it. */
export function backedUpBuckets(config: Config): readonly BackedUpBucket[] {
  const { s3Bucket, s3LogBucket } = config;
  const places = new Map<string, string>();
  // A bucket of logs alone may have other uses.
  if (s3LogBucket !== undefined) places.set(s3LogBucket, LOG_KEYS);
  if (s3Bucket !== undefined) places.set(s3Bucket, '');
  return [...places].map(([name, keyPrefix]) => ({
    name,
    async *list() {
      const { listBucket } = await import('@berth/object-store/s3');
      yield* listBucket(bucketPlace(config, { bucket: name, keyPrefix }));
    },
  }));
}
