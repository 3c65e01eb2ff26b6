import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { createError } from '@berth/contract';
import type { BerthError, Clock } from '@berth/kit';
import { cappedBody } from '../capped-body.ts';
import type { PartialUpload, PartialUploads, PutResult, StoredObject, VolumePlace } from '../object-store.ts';
import { createWriterWatch, isBeingWritten, MARK_MS } from '../writer-watch.ts';
import { translateS3Error } from './translate-s3-error.ts';
import { createUploadStates, type ReadState, type UploadState } from './upload-states.ts';

/** Options of {@link createS3PartialUploads}. */
export interface S3PartialUploadsOptions {
  readonly client: S3Client;
  readonly bucket: string;
  /** Prefix of the keys of unfinished uploads. */
  readonly prefix: string;
  keyOf(place: VolumePlace, path: string): string;
  find(place: VolumePlace, path: string): Promise<StoredObject | undefined>;
  /** Stores an object in one request. */
  put(place: VolumePlace, path: string, body: Buffer): Promise<PutResult>;
  readonly clock: Clock;
}

/** Smallest part, held in memory while it arrives. S3 requires 5 MiB. */
const MIN_PART_BYTES = 8 * 2 ** 20;
/** S3 allows 10,000 parts with numbers up to 10,000; a writer that is taken over from leaves one number unused. */
const MAX_PARTS = 9_000;
/** A day, so that a client can resume after a night. */
const LIFE_MS = 24 * 3_600_000;
/** Abandoned uploads are removed when an upload begins, at most this often. */
const COLLECT_MS = 3_600_000;

/**
 * Creates resumable uploads that any server with the bucket can continue: an upload is an S3 multipart upload, an object
 * with its state, and an object with the bytes that are too few for a part. Invariants:
 * 1. Every change replaces the state object on condition that nothing replaced it before (`If-Match`). A writer that
 *    was taken over can change nothing any more.
 * 2. One request at a time writes. It changes the state every few seconds, and one that stops doing so is taken over.
 *    The next writer leaves out one part number, because the last one may still send the part that it was sending.
 * 3. The bytes of the state's offset are in the bucket.
 */
export function createS3PartialUploads(options: S3PartialUploadsOptions): PartialUploads {
  const { client, bucket, prefix, clock } = options;
  const states = createUploadStates({ client, bucket, prefix });
  const watch = createWriterWatch(clock);
  const attempt = <Value>(work: Promise<Value>): Promise<Value> =>
    work.catch((error: unknown) => Promise.reject(translateS3Error(error)));
  const target = ({ place, path, uploadId }: UploadState) => ({
    Bucket: bucket,
    Key: options.keyOf(place, path),
    UploadId: uploadId,
  });
  const deleteKey = (key: string) => attempt(client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key })));

  const get = async (id: string): Promise<ReadState> => {
    const read = await states.read(id);
    if (read) return read;
    throw createError('not_found', 'No such upload; uploads expire after a day. Start a new upload.');
  };

  /** Runs work as the only writer of an upload. */
  const alone = async <Value>(id: string, work: (session: Session) => Promise<Value>): Promise<Value> => {
    const read = await get(id);
    const isTakenOver = read.state.writer !== null;
    if (isTakenOver && !watch.isGone(id, read.etag)) throw isBeingWritten();
    const changes = { writer: randomBytes(8).toString('hex'), nextPart: read.state.nextPart + (isTakenOver ? 1 : 0) };
    const session = createSession(await states.replace(id, read, changes), (current, next) =>
      states.replace(id, current, next),
    );
    watch.forget(id);
    const beat = () => {
      timer = clock.setTimer(MARK_MS, beat);
      // A failure shows at the next change of the state.
      session.update({}).catch(() => {});
    };
    let timer = clock.setTimer(MARK_MS, beat);
    try {
      return await work(session);
    } finally {
      timer.cancel();
      // When the upload is finished, or another writer has it, there is nothing to give back.
      await session.update({ writer: null }).catch(() => {});
    }
  };

  const readTail = async ({ tail }: UploadState): Promise<Buffer> => {
    if (tail === null) return Buffer.alloc(0);
    const { Body: body } = await attempt(client.send(new GetObjectCommand({ Bucket: bucket, Key: tail.key })));
    return Buffer.from((await body?.transformToByteArray()) ?? []);
  };
  const commitPart = async (session: Session, content: Buffer) => {
    const { nextPart: number, parts, partBytes, tail } = session.state;
    const part = { ...target(session.state), PartNumber: number, Body: content };
    const { ETag: etag = '' } = await attempt(client.send(new UploadPartCommand(part)));
    await session.update({
      parts: [...parts, { number, etag }],
      nextPart: number + 1,
      partBytes: partBytes + content.byteLength,
      tail: null,
    });
    if (tail) await deleteKey(tail.key);
  };
  const commitTail = async (id: string, session: Session, content: Buffer) => {
    const { tail } = session.state;
    if (content.byteLength === (tail?.sizeBytes ?? 0)) return;
    const key = states.tailKey(id);
    await attempt(client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: content })));
    await session.update({ tail: { key, sizeBytes: content.byteLength } });
    if (tail) await deleteKey(tail.key);
  };

  const remove = async (id: string, { tail }: UploadState): Promise<void> => {
    if (tail) await deleteKey(tail.key);
    await deleteKey(`${prefix}${id}.json`);
  };
  const collect = async (): Promise<void> => {
    const oldest = clock.nowMs() - LIFE_MS;
    for (let after: string | undefined; ; ) {
      const page = await attempt(
        client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, StartAfter: after })),
      );
      for (const { Key: key = '', LastModified: modified } of page.Contents ?? []) {
        if ((modified?.getTime() ?? 0) >= oldest) continue;
        const id = key.slice(prefix.length).split('.')[0] ?? '';
        const read = key.endsWith('.json') ? await states.read(id) : undefined;
        if (read) await attempt(client.send(new AbortMultipartUploadCommand(target(read.state)))).catch(ignoreAbsence);
        await deleteKey(key);
      }
      after = page.Contents?.at(-1)?.Key;
      if (!page.IsTruncated || after === undefined) return;
    }
  };
  let collectedAtMs = Number.NEGATIVE_INFINITY;

  return {
    async begin(place, path, sizeBytes) {
      if (clock.nowMs() - collectedAtMs > COLLECT_MS) {
        collectedAtMs = clock.nowMs();
        await collect();
      }
      const created = new CreateMultipartUploadCommand({ Bucket: bucket, Key: options.keyOf(place, path) });
      const { UploadId: uploadId = '' } = await attempt(client.send(created));
      const id = states.newId();
      const state: UploadState = {
        ...{ place, path, sizeBytes, uploadId, createdAtMs: clock.nowMs() },
        ...{ parts: [], nextPart: 1, partBytes: 0, tail: null, writer: null, version: 0 },
      };
      await attempt(states.create(id, state));
      return toUpload(id, state);
    },
    async find(id) {
      const read = await states.read(id);
      // A client that asks before it resumes starts the watch.
      if (read && read.state.writer !== null) watch.isGone(id, read.etag);
      return read && toUpload(id, read.state);
    },
    append: (id, offset, body: Readable) =>
      alone(id, async (session) => {
        const { sizeBytes } = session.state;
        const at = offsetOf(session.state);
        if (offset !== at) {
          throw createError('conflict', `The upload is at offset ${at}, not ${offset}. Resume from ${at}.`);
        }
        const partBytes = Math.max(MIN_PART_BYTES, Math.ceil(sizeBytes / MAX_PARTS));
        const held = createHeldBytes(await readTail(session.state));
        let failure: { readonly error: unknown } | undefined;
        const chunks = cappedBody(body, sizeBytes - offset)[Symbol.asyncIterator]();
        for (;;) {
          const next = await chunks.next().catch((error: unknown) => {
            failure = { error };
            return undefined;
          });
          if (next === undefined || next.done) break;
          held.add(next.value);
          while (held.sizeBytes >= partBytes) await commitPart(session, held.take(partBytes));
        }
        const rest = held.take(held.sizeBytes);
        const isComplete = session.state.partBytes + rest.byteLength === sizeBytes;
        if (isComplete && rest.byteLength > 0) await commitPart(session, rest);
        else await commitTail(id, session, rest);
        if (failure) throw failure.error;
        return toUpload(id, session.state);
      }),
    finish: (id) =>
      alone(id, async (session): Promise<PutResult> => {
        const { place, path, sizeBytes, parts } = session.state;
        const offset = offsetOf(session.state);
        if (offset !== sizeBytes) {
          throw createError('conflict', `The upload has ${offset} of ${sizeBytes} bytes. Send the rest first.`);
        }
        const upload = target(session.state);
        // S3 completes no upload without parts.
        if (sizeBytes === 0) {
          await attempt(client.send(new AbortMultipartUploadCommand(upload))).catch(ignoreAbsence);
          const result = await options.put(place, path, Buffer.alloc(0));
          await remove(id, session.state);
          return result;
        }
        const before = await options.find(place, path);
        const Parts = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag }));
        const complete = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } });
        // A server that was killed after this step left the upload's state.
        await attempt(client.send(complete)).catch(ignoreAbsence);
        const object = await options.find(place, path);
        await remove(id, session.state);
        if (!object)
          throw createError('not_found', 'The upload was completed, and its object was deleted in the meantime.');
        return { object, replacedBytes: before?.sizeBytes };
      }),
    async abort(id) {
      const read = await states.read(id);
      if (!read) return;
      if (read.state.writer !== null && !watch.isGone(id, read.etag)) throw isBeingWritten();
      await attempt(client.send(new AbortMultipartUploadCommand(target(read.state)))).catch(ignoreAbsence);
      await remove(id, read.state);
    },
  };
}

/** The state of an upload in the hands of its writer. */
interface Session {
  readonly state: UploadState;
  /** Changes the state, after earlier changes. @throws BerthError `conflict` when the upload has another writer */
  update(changes: Partial<UploadState>): Promise<void>;
}

function createSession(
  first: ReadState,
  replace: (current: ReadState, changes: Partial<UploadState>) => Promise<ReadState>,
): Session {
  let current = first;
  let last: Promise<unknown> = Promise.resolve();
  return {
    get state() {
      return current.state;
    },
    update(changes) {
      const next = last
        .catch(() => {})
        .then(async () => {
          current = await replace(current, changes);
        });
      last = next;
      return next;
    },
  };
}

/** Collects chunks until there are enough for a part. */
function createHeldBytes(first: Buffer) {
  let chunks: Uint8Array[] = [first];
  let sizeBytes = first.byteLength;
  return {
    get sizeBytes() {
      return sizeBytes;
    },
    add(chunk: Uint8Array): void {
      chunks.push(chunk);
      sizeBytes += chunk.byteLength;
    },
    take(count: number): Buffer {
      const all = Buffer.concat(chunks);
      chunks = [all.subarray(count)];
      sizeBytes -= count;
      return all.subarray(0, count);
    },
  };
}

const offsetOf = ({ partBytes, tail }: UploadState) => partBytes + (tail?.sizeBytes ?? 0);

function toUpload(id: string, state: UploadState): PartialUpload {
  const { place, path, sizeBytes, createdAtMs } = state;
  return { id, place, path, sizeBytes, createdAtMs, offset: offsetOf(state) };
}

/** Ignores that the service has no such multipart upload any more. */
function ignoreAbsence(error: unknown): undefined {
  const { name } = ((error as BerthError).cause ?? error) as { readonly name?: string };
  if (name === 'NoSuchUpload' || name === 'NotFound') return undefined;
  throw error;
}
