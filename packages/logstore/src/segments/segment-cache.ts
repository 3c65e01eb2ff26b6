import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createError } from '@berth/contract';
import { forEachConcurrently } from '@berth/kit';
import { createPins } from './pins.ts';

/** A file requested from the cache. */
export interface CachedFile {
  /** Relative path; different for different content. */
  readonly name: string;
  readonly sizeBytes: number;
}

/**
 * A bounded cache of remote files; the least recently used are evicted first.
 *
 * Invariants:
 * 1. Its files never take more than `maxBytes`; a request that does not fit beside files in use waits.
 * 2. A file gets its name only when it is complete.
 */
export interface SegmentCache {
  readonly maxBytes: number;
  /**
   * Returns local paths of the files, in order, which stay until disposed of.
   * @throws `unavailable` when the files exceed the cache; what `fetch` throws; the signal's reason.
   */
  hold(
    files: readonly CachedFile[],
    fetch: (file: CachedFile, target: string) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<HeldFiles>;
  /** Moves a local file into the cache, or removes it when there is no room. */
  adopt(file: CachedFile, path: string): Promise<void>;
  /** Evicts a file as soon as it is no longer used. */
  drop(name: string): void;
}

/** Files that stay in place until disposed of. Disposal is idempotent. */
export interface HeldFiles extends Disposable {
  readonly paths: readonly string[];
}

interface Entry {
  readonly sizeBytes: number;
  readonly ready: Promise<void>;
}

/** Concurrent fetches for one caller. */
const FETCHES = 4;

/** Creates a cache in `folder`, which is emptied: after a power cut it may contain incomplete files. */
export function createSegmentCache(folder: string, maxBytes: number): SegmentCache {
  /** Least recently used first. */
  const entries = new Map<string, Entry>();
  /** Pins of readers and of running fetches. */
  const pins = createPins();
  const emptied = rm(folder, { recursive: true, force: true });
  emptied.catch(() => {});
  /** Pending removals by name: a file that is fetched again must wait for its own removal. */
  const removals = new Map<string, Promise<void>>();
  let usedBytes = 0;
  let onRoom = Promise.withResolvers<void>();

  const pathOf = (name: string) => join(folder, name);

  function forget(name: string): void {
    usedBytes -= entries.get(name)?.sizeBytes ?? 0;
    entries.delete(name);
  }

  function remove(name: string): void {
    if (!entries.has(name) || pins.isHeld(name)) return;
    forget(name);
    const removal = rm(pathOf(name), { force: true })
      .catch(() => {})
      .finally(() => removals.delete(name));
    removals.set(name, removal);
  }

  /** Evicts unused files. Returns false when files in use leave too little room. */
  function makeRoom(moreBytes: number): boolean {
    let freeBytes = maxBytes - usedBytes;
    const victims: string[] = [];
    for (const [name, { sizeBytes }] of entries) {
      if (freeBytes >= moreBytes) break;
      if (pins.isHeld(name)) continue;
      victims.push(name);
      freeBytes += sizeBytes;
    }
    if (freeBytes < moreBytes) return false;
    victims.forEach(remove);
    return true;
  }

  async function fetchWhole({ name }: CachedFile, fetch: (target: string) => Promise<void>): Promise<void> {
    const path = pathOf(name);
    await emptied;
    await removals.get(name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await fetch(`${path}.part`);
    await rename(`${path}.part`, path);
  }

  /** Pins the files and starts to fetch missing ones. Returns undefined when there is no room for them now. */
  function begin(files: readonly CachedFile[], fetch: (file: CachedFile, target: string) => Promise<void>) {
    const letGo = pins.hold(files.map((file) => file.name));
    const missing = files.filter(({ name }) => !entries.has(name));
    if (!makeRoom(missing.reduce((sum, file) => sum + file.sizeBytes, 0))) {
      letGo();
      return undefined;
    }
    const started = missing.map((file) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      promise.catch(() => {});
      entries.set(file.name, { sizeBytes: file.sizeBytes, ready: promise });
      usedBytes += file.sizeBytes;
      return { file, resolve, reject, fetched: pins.hold([file.name]) };
    });
    void forEachConcurrently(started, { concurrency: FETCHES }, async ({ file, resolve, reject, fetched }) => {
      await fetchWhole(file, (target) => fetch(file, target)).then(resolve, (error: unknown) => {
        forget(file.name);
        reject(error);
      });
      fetched();
      tellRoom();
    });
    const ready = files.map(({ name }) => {
      const entry = entries.get(name) as Entry;
      entries.delete(name);
      entries.set(name, entry);
      return entry.ready;
    });
    return { letGo, ready: Promise.all(ready) };
  }

  function tellRoom(): void {
    onRoom.resolve();
    onRoom = Promise.withResolvers();
  }

  return {
    maxBytes,
    async hold(files, fetch, signal) {
      const bytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
      if (bytes > maxBytes) {
        throw createError(
          'unavailable',
          `These logs come to ${mebibytes(bytes)} and must be fetched; this server caches ${mebibytes(maxBytes)} (BERTH_LOG_CACHE). Query a shorter time range, or ask the operator for a larger cache.`,
        );
      }
      let begun = begin(files, fetch);
      for (; !begun; begun = begin(files, fetch)) await abortable(onRoom.promise, signal);
      const { letGo, ready } = begun;
      const release = () => {
        letGo();
        tellRoom();
      };
      try {
        await abortable(ready, signal);
        return { paths: files.map((file) => pathOf(file.name)), [Symbol.dispose]: release };
      } catch (error) {
        release();
        throw error;
      }
    },
    async adopt(file, path) {
      const isWanted = !entries.has(file.name) && file.sizeBytes <= maxBytes;
      const begun = isWanted ? begin([file], (_, target) => rename(path, target)) : undefined;
      begun?.letGo();
      await begun?.ready.catch(() => {});
      await rm(path, { force: true });
    },
    drop(name) {
      pins.whenFree(name, () => remove(name));
    },
  };
}

async function abortable<Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (!signal) return work;
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function mebibytes(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20)} MiB`;
}
