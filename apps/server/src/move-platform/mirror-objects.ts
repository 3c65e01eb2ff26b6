import { createHash } from 'node:crypto';
import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline, Transform } from 'node:stream';
import { createError } from '@berth/contract';
import { BerthError } from '@berth/kit';
import type { ObjectStore, StoredObject, VolumePlace } from '@berth/object-store';
import type { Journal } from './journal.ts';

/** Options of {@link mirrorObjects}. */
export interface MirrorOptions {
  readonly source: ObjectStore;
  readonly target: ObjectStore;
  readonly place: VolumePlace;
  /** The objects to copy, sorted by the UTF-8 bytes of their paths; by default all of the place. */
  readonly objects?: AsyncIterable<StoredObject>;
  /** Removes objects that only the target has. */
  readonly removesOthers: boolean;
  readonly journal: Journal;
  /** Services may change objects meanwhile: one that changes while it is copied is left to the next pass. */
  readonly isLive: boolean;
  /** Counts the objects that would be copied, and changes nothing. */
  readonly isDryRun: boolean;
  readonly signal: AbortSignal;
  /** Called after each object that was copied. */
  onCopied(sizeBytes: number): void;
}

/** Numbers of objects and bytes. */
export interface Mirrored {
  copied: number;
  copiedBytes: number;
  /** Copied and compared by an earlier pass, and the same since. */
  unchanged: number;
  unchangedBytes: number;
  removed: number;
  /** Objects that changed while they were copied. */
  changing: number;
}

const PAGE_OBJECTS = 1_000;
const PARALLEL_COPIES = 4;

/** Returns zeros. */
export const nothingMirrored = (): Mirrored => ({
  copied: 0,
  copiedBytes: 0,
  unchanged: 0,
  unchangedBytes: 0,
  removed: 0,
  changing: 0,
});

/**
 * Makes the objects of a place in the target those of the source. Each copy is read back and compared with what was read from the source:
 * its size and its SHA-256. Objects that an earlier pass compared are skipped while neither side has changed.
 * @throws BerthError `internal` when a copy differs; the errors of the stores
 */
export async function mirrorObjects(options: MirrorOptions): Promise<Mirrored> {
  const { source, target, place, removesOthers, journal, isDryRun, signal, onCopied } = options;
  const result = nothingMirrored();
  const name = `${target.name}:${place.account}/${place.storageId}`;
  const copies = listAll(target, place)[Symbol.asyncIterator]();
  let copy = await copies.next();
  /** Passes the copies before a path, or all. */
  const pass = async (path?: string) => {
    while (!copy.done && (path === undefined || compare(copy.value.path, path) < 0)) {
      if (removesOthers) {
        result.removed++;
        if (!isDryRun) await target.delete(place, copy.value.path);
      }
      copy = await copies.next();
    }
  };
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  const start = async (object: StoredObject) => {
    while (running.size >= PARALLEL_COPIES) await Promise.race(running);
    if (failure) throw failure.error;
    const work = copyObject(options, name, object)
      .then((sizeBytes) => {
        if (sizeBytes === undefined) {
          result.changing++;
          return;
        }
        result.copied++;
        result.copiedBytes += sizeBytes;
        onCopied(sizeBytes);
      })
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .finally(() => running.delete(work));
    running.add(work);
  };
  try {
    for await (const object of options.objects ?? listAll(source, place)) {
      signal.throwIfAborted();
      await pass(object.path);
      const there = !copy.done && copy.value.path === object.path ? copy.value : undefined;
      const known = there && journal.findObject(name, object.path);
      const isSame = known?.sourceTag === object.etag && known.targetTag === there?.etag;
      if (isSame) {
        result.unchanged++;
        result.unchangedBytes += object.sizeBytes;
      } else if (isDryRun) {
        result.copied++;
        result.copiedBytes += object.sizeBytes;
      } else await start(object);
      if (there) copy = await copies.next();
    }
    await pass();
  } finally {
    await Promise.all(running);
    await copies.return(undefined);
  }
  if (failure) throw (failure as { readonly error: unknown }).error;
  return result;
}

/** Returns the size; undefined for an object that changed or is gone. */
async function copyObject(options: MirrorOptions, name: string, listed: StoredObject): Promise<number | undefined> {
  const { source, place, isLive } = options;
  try {
    return await copyNow(options, name, listed.path);
  } catch (error) {
    if (!isLive || options.signal.aborted) throw error;
    const now = await source.find(place, listed.path);
    if (now?.etag === listed.etag) throw error;
    return undefined;
  }
}

async function copyNow(options: MirrorOptions, name: string, path: string): Promise<number | undefined> {
  const { source, target, place, journal, isLive, signal } = options;
  await using open = await source.open(place, path);
  if (!open) {
    if (isLive) return undefined;
    throw createError('not_found', `${path} of ${place.account}/${place.storageId} is not there any more.`);
  }
  const { sizeBytes, etag } = open.object;
  const put = async () => {
    const hash = createHash('sha256');
    const hashed = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        done(null, chunk);
      },
    });
    // The reader of the outcome gets the errors.
    pipeline(open.read(), hashed, () => {});
    const { object } = await target.put(place, path, hashed, { sizeBytes, signal });
    return { sha256: hash.digest('hex'), targetTag: object.etag };
  };
  const { sha256, targetTag } = await put().catch(async (error: unknown) => {
    if (!BerthError.is(error, 'conflict') || !options.removesOthers || !target.folders) throw error;
    await clearWay(await target.folders.ensure(place, ''), path);
    return put();
  });
  await compareCopy(target, place, path, { sizeBytes, sha256 });
  journal.noteObject(name, path, { sourceTag: etag, sizeBytes, sha256, targetTag });
  return sizeBytes;
}

/** Removes the folder that has become a file, and a file or a link that has become a folder. Nothing else uses the copy yet. */
async function clearWay(volume: string, path: string): Promise<void> {
  const names = path.split('/');
  for (let depth = 1; depth <= names.length; depth++) {
    const inWay = join(volume, ...names.slice(0, depth));
    const stats = await lstat(inWay).catch(() => undefined);
    if (stats === undefined) return;
    // No link is followed: each folder before this one is a folder.
    if (stats.isDirectory() && depth < names.length) continue;
    return rm(inWay, { recursive: true });
  }
}

async function compareCopy(
  target: ObjectStore,
  place: VolumePlace,
  path: string,
  expected: { readonly sizeBytes: number; readonly sha256: string },
): Promise<void> {
  await using copy = await target.open(place, path);
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of copy?.read() ?? []) {
    hash.update(chunk as Buffer);
    sizeBytes += (chunk as Buffer).length;
  }
  if (sizeBytes === expected.sizeBytes && hash.digest('hex') === expected.sha256) return;
  throw createError(
    'internal',
    `The copy of ${path} in ${place.account}/${place.storageId} differs from its source. The source is unchanged. Run the command again.`,
  );
}

/** Yields all objects of a place, sorted by the UTF-8 bytes of their paths. */
export async function* listAll(store: ObjectStore, place: VolumePlace): AsyncGenerator<StoredObject> {
  for (let after: string | undefined; ; ) {
    const { objects, isTruncated } = await store.list(place, { after, limit: PAGE_OBJECTS });
    yield* objects;
    after = objects.at(-1)?.path;
    if (!isTruncated || after === undefined) return;
  }
}

const compare = (left: string, right: string) => Buffer.from(left).compare(Buffer.from(right));
