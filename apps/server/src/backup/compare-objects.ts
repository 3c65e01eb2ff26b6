import type { BucketObject } from '@berth/object-store/s3';

/** A listed object that is not in its bucket as it was. */
export interface ObjectProblem {
  readonly bucket: string;
  readonly key: string;
  readonly problem: 'missing' | 'changed';
}

/**
 * Compares a list of objects with a bucket, both sorted by the UTF-8 bytes of their keys, in constant memory. Yields every listed object;
 * objects that only the bucket has are newer than the list and not a problem.
 */
export async function* compareObjects(
  listed: AsyncIterable<BucketObject>,
  present: AsyncIterable<BucketObject>,
): AsyncGenerator<{ readonly key: string; readonly problem: ObjectProblem['problem'] | undefined }> {
  const bucket = present[Symbol.asyncIterator]();
  try {
    let next = await bucket.next();
    for await (const { key, sizeBytes, etag } of listed) {
      const bytes = Buffer.from(key);
      while (!next.done && Buffer.from(next.value.key).compare(bytes) < 0) next = await bucket.next();
      if (next.done || next.value.key !== key) yield { key, problem: 'missing' };
      else {
        const isSame = next.value.etag === etag && next.value.sizeBytes === sizeBytes;
        yield { key, problem: isSame ? undefined : 'changed' };
      }
    }
  } finally {
    await bucket.return?.();
  }
}
