import { pipeline, Readable, Transform } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { createError } from '@berth/contract';
import type { Clock } from '@berth/kit';
import { createBodyCheck } from '../body-check.ts';
import type {
  ByteRange,
  ExpectedBytes,
  ListOptions,
  ObjectStore,
  PutResult,
  StoredObject,
  VolumePlace,
} from '../object-store.ts';
import { createS3PartialUploads } from './s3-partial-uploads.ts';
import { isNotFound, translateS3Error } from './translate-s3-error.ts';

export interface S3ObjectStoreOptions {
  /** An existing bucket. */
  readonly bucket: string;
  readonly region: string;
  /** URL of an S3-compatible service. Default: AWS. */
  readonly endpoint?: string;
  /** Prefix of all keys, to share a bucket. Default: none. */
  readonly keyPrefix?: string;
  /** Default: as AWS tools find them. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Absent: the store has no resumable uploads. */
  readonly clock?: Clock;
}

/** Part size of a large upload. S3 allows 10,000 parts, so an object has at most 625 GiB. */
const PART_BYTES = 64 * 2 ** 20;
const PARALLEL_PARTS = 2;
/** The maximum of CopyObject. */
const COPY_BYTES = 5 * 2 ** 30;
const MAX_KEY_BYTES = 1_024;

/**
 * Creates a store of objects in one bucket of an S3-compatible service, under `<account>/<volume>/<path>`, with
 * path-style addresses. Clients use the bucket through presigned URLs; volumes can't be mounted.
 */
export function createS3ObjectStore(options: S3ObjectStoreOptions): ObjectStore {
  const { bucket, region, endpoint, credentials, keyPrefix = '', clock } = options;
  const client = new S3Client({
    region,
    forcePathStyle: true,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
    // Some services don't support the checksums that the SDK adds by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  const rootOf = ({ account, storageId }: VolumePlace) => `${keyPrefix}${account}/${storageId}/`;
  const at = (place: VolumePlace, path: string) => ({ Bucket: bucket, Key: rootOf(place) + path });
  const attempt = <Value>(work: Promise<Value>): Promise<Value> =>
    work.catch((error: unknown) => Promise.reject(translateS3Error(error)));

  const find = async (place: VolumePlace, path: string): Promise<StoredObject | undefined> => {
    try {
      const head = await client.send(new HeadObjectCommand(at(place, path)));
      return toStoredObject(path, head.ContentLength, head);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw translateS3Error(error);
    }
  };
  const result = async (place: VolumePlace, path: string, before: StoredObject | undefined): Promise<PutResult> => {
    const object = await find(place, path);
    if (!object) throw createError('unavailable', 'The stored object was deleted in the meantime.');
    return { object, replacedBytes: before?.sizeBytes };
  };

  const put: ObjectStore['put'] = async (place, path, body, options = {}) => {
    const { precondition, signal } = options;
    signal?.throwIfAborted();
    const before = await find(place, path);
    const etags = precondition?.etags;
    const isMet = before ? !etags || etags === '*' || etags.includes(before.etag) : !etags;
    if (!isMet || (precondition?.isAbsent && before)) {
      throw notMet(path);
    }
    signal?.throwIfAborted();
    const checked = checkBody(body, options);
    const upload = new Upload({
      client,
      params: {
        ...at(place, path),
        Body: checked,
        ...(precondition?.isAbsent ? { IfNoneMatch: '*' } : {}),
        ...(etags && before ? { IfMatch: before.etag } : {}),
      },
      partSize: PART_BYTES,
      queueSize: PARALLEL_PARTS,
    });
    const abort = () => checked.destroy(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      // The body's own error says more than that of the upload that it ended.
      await attempt(upload.done()).catch((error: unknown) => Promise.reject(checked.errored ?? error));
    } finally {
      signal?.removeEventListener('abort', abort);
    }
    return result(place, path, before);
  };

  const read = (place: VolumePlace, object: StoredObject, range?: ByteRange): Readable => {
    const chunks = async function* () {
      const { first, last } = range ?? { first: 0, last: object.sizeBytes - 1 };
      if (last < first) return;
      const command = new GetObjectCommand({
        ...at(place, object.path),
        IfMatch: object.etag,
        Range: `bytes=${first}-${last}`,
      });
      const { Body: content } = await attempt(client.send(command));
      yield* content as Readable;
    };
    return Readable.from(chunks(), { objectMode: false });
  };

  const get = async (place: VolumePlace, path: string): Promise<StoredObject> => {
    const found = await find(place, path);
    if (found) return found;
    throw createError('not_found', `The volume has no object "${path}".`);
  };
  const remove = (place: VolumePlace, path: string) => attempt(client.send(new DeleteObjectCommand(at(place, path))));
  const copy = async (place: VolumePlace, source: StoredObject, to: string, isAbsent = false): Promise<PutResult> => {
    if (source.sizeBytes > COPY_BYTES) {
      return put(place, to, read(place, source), { sizeBytes: source.sizeBytes, precondition: { isAbsent } });
    }
    const before = await find(place, to);
    const { Bucket, Key } = at(place, source.path);
    const CopySource = [Bucket, ...Key.split('/')].map(encodeURIComponent).join('/');
    const target = { ...at(place, to), ...(isAbsent ? { IfNoneMatch: '*' } : {}) };
    await attempt(client.send(new CopyObjectCommand({ ...target, CopySource, CopySourceIfMatch: source.etag })));
    return result(place, to, before);
  };

  const listPage = (
    place: VolumePlace,
    { prefix = '', after, limit }: ListOptions,
    folders: Pick<ListObjectsV2CommandInput, 'Delimiter'> = {},
  ) =>
    attempt(
      client.send(
        new ListObjectsV2Command({
          Bucket: bucket,
          Prefix: rootOf(place) + prefix,
          MaxKeys: limit,
          ...folders,
          ...(after === undefined ? {} : { StartAfter: rootOf(place) + after }),
        }),
      ),
    );

  const objectsOf = (place: VolumePlace, { Contents = [] }: ListObjectsV2CommandOutput) =>
    Contents.map((item) => toStoredObject((item.Key ?? '').slice(rootOf(place).length), item.Size, item));

  const uploads =
    clock &&
    createS3PartialUploads({
      ...{ client, bucket, find, clock },
      // No account has this id.
      prefix: `${keyPrefix}.uploads/`,
      keyOf: (place, path) => at(place, path).Key,
      put: (place, path, body) => put(place, path, Readable.from([body])),
    });

  return {
    name: 's3',
    ...(uploads && { uploads }),
    put,
    find,
    async open(place, path) {
      const object = await find(place, path);
      if (!object) return undefined;
      return { object, read: (range) => read(place, object, range), [Symbol.asyncDispose]: async () => {} };
    },
    async list(place, options) {
      const page = await listPage(place, options);
      return { objects: objectsOf(place, page), isTruncated: page.IsTruncated === true };
    },
    async listFolder(place, { after, ...options }) {
      const root = rootOf(place);
      // After the path of a folder comes the folder again, because of the keys in it.
      const start = after?.endsWith('/') ? lastKeyIn(root + after).slice(root.length) : after;
      const page = await listPage(place, { ...options, after: start }, { Delimiter: '/' });
      const folders = (page.CommonPrefixes ?? []).map(({ Prefix = '' }) => Prefix.slice(root.length));
      return { objects: objectsOf(place, page), folders, isTruncated: page.IsTruncated === true };
    },
    async delete(place, path) {
      const object = await find(place, path);
      if (object) await remove(place, path);
      return object;
    },
    copy: async (place, from, to) => copy(place, await get(place, from), to),
    async move(place, from, to, { isAbsent = false } = {}) {
      const source = await get(place, from);
      const there = await find(place, to);
      // Equal tags: an earlier move was interrupted before its deletion.
      const isCopied = there?.sizeBytes === source.sizeBytes && there.etag === source.etag;
      if (there && isAbsent && !isCopied) throw notMet(to);
      const moved =
        there && isCopied ? { object: there, replacedBytes: undefined } : await copy(place, source, to, isAbsent);
      // Keeps an object that was stored at `from` in the meantime.
      if ((await find(place, from))?.etag === source.etag) await remove(place, from);
      return moved;
    },
    async measure(place, { signal } = {}) {
      let [sizeBytes, objectCount] = [0, 0];
      let after: string | undefined;
      for (;;) {
        signal?.throwIfAborted();
        const page = await listPage(place, { after, limit: 1_000 });
        for (const { Size = 0 } of page.Contents ?? []) sizeBytes += Size;
        objectCount += page.Contents?.length ?? 0;
        if (!page.IsTruncated) return { sizeBytes, objectCount };
        after = page.Contents?.at(-1)?.Key?.slice(rootOf(place).length);
      }
    },
    async removeVolume(place) {
      for (;;) {
        const { Contents = [] } = await listPage(place, { limit: 1_000 });
        if (Contents.length === 0) return;
        const Objects = Contents.map(({ Key = '' }) => ({ Key }));
        await attempt(client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } })));
      }
    },
    async presign({ method, place, path, expiresInSeconds }) {
      const input = at(place, path);
      const command = method === 'PUT' ? new PutObjectCommand(input) : new GetObjectCommand(input);
      return getSignedUrl(client, command, { expiresIn: expiresInSeconds });
    },
    async close() {
      client.destroy();
    },
  };
}

/** Returns the last key that a folder can have, in the order of UTF-8 bytes. */
function lastKeyIn(folder: string): string {
  const room = MAX_KEY_BYTES - Buffer.byteLength(folder);
  return folder + '\u{10ffff}'.repeat(Math.floor(room / 4)) + ['', '\x7f', '\u07ff', '\uffff'][room % 4];
}

/**
 * Returns `body` as a stream that fails at its end when the bytes are not the expected ones, so that the upload that
 * reads it is abandoned.
 */
function checkBody(body: Readable, expected: ExpectedBytes): Readable {
  const check = createBodyCheck(expected);
  const checked = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      check.add(chunk);
      done(null, chunk);
    },
    flush(done) {
      try {
        check.finish();
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
  // The reader of the outcome gets the errors.
  pipeline(body, checked, () => {});
  return checked;
}

function notMet(path: string) {
  return createError('precondition_failed', `"${path}" does not meet the request's precondition.`);
}

function toStoredObject(
  path: string,
  sizeBytes: number | undefined,
  { ETag = '', LastModified }: { readonly ETag?: string | undefined; readonly LastModified?: Date | undefined },
): StoredObject {
  return { path, sizeBytes: sizeBytes ?? 0, updatedAtMs: LastModified?.getTime() ?? 0, etag: ETag };
}
