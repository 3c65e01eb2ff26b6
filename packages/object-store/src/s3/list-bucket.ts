import {
  GetBucketVersioningCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import type { S3ObjectStoreOptions } from './create-s3-object-store.ts';
import { translateS3Error } from './translate-s3-error.ts';

/** An object of a bucket, whatever it is for. */
export interface BucketObject {
  readonly key: string;
  readonly sizeBytes: number;
  /** Its entity tag, with quotes. Equal tags mean equal bytes. */
  readonly etag: string;
  /** Absent in a bucket without versions. */
  readonly version?: string;
}

/**
 * Yields the current objects of a bucket whose keys start with `keyPrefix`, sorted by the UTF-8 bytes of their keys, in constant memory.
 * @throws BerthError `unavailable` when the service doesn't answer
 */
export async function* listBucket(options: S3ObjectStoreOptions): AsyncGenerator<BucketObject> {
  const { bucket, region, endpoint, credentials, keyPrefix } = options;
  const config: S3ClientConfig = { region, forcePathStyle: true };
  const client = new S3Client({ ...config, ...(endpoint && { endpoint }), ...(credentials && { credentials }) });
  const place = { Bucket: bucket, Prefix: keyPrefix };
  try {
    if (await hasVersions(client, bucket)) {
      for (
        let marker: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } | undefined = {};
        marker;
      ) {
        const page: Awaited<ReturnType<typeof listVersions>> = await listVersions(client, { ...place, ...marker });
        for (const { Key = '', Size = 0, ETag = '', VersionId, IsLatest } of page.Versions ?? []) {
          if (IsLatest) yield { key: Key, sizeBytes: Size, etag: ETag, ...(VersionId ? { version: VersionId } : {}) };
        }
        marker = page.IsTruncated
          ? { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker }
          : undefined;
      }
      return;
    }
    for (let token: string | undefined, isDone = false; !isDone; ) {
      const page = await client.send(new ListObjectsV2Command({ ...place, ContinuationToken: token }));
      for (const { Key = '', Size = 0, ETag = '' } of page.Contents ?? []) {
        yield { key: Key, sizeBytes: Size, etag: ETag };
      }
      token = page.NextContinuationToken;
      isDone = token === undefined;
    }
  } catch (error) {
    throw translateS3Error(error);
  } finally {
    client.destroy();
  }
}

const listVersions = (client: S3Client, input: ConstructorParameters<typeof ListObjectVersionsCommand>[0]) =>
  client.send(new ListObjectVersionsCommand(input));

/** Returns whether the bucket keeps versions. A service that doesn't know them has none. */
async function hasVersions(client: S3Client, bucket: string): Promise<boolean> {
  try {
    return (await client.send(new GetBucketVersioningCommand({ Bucket: bucket }))).Status === 'Enabled';
  } catch (error) {
    // 501 NotImplemented, or an error of a service's own; a bucket that doesn't answer at all fails at the listing.
    if ((error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode === undefined) throw error;
    return false;
  }
}
