import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createError } from '@berth/contract';
import { forEachConcurrently } from '@berth/kit';
import { createPins } from './pins.ts';

/** A file that the cache is asked for. */
export interface CachedFile {
  /** Relative; different for different bytes. */
  readonly name: string;
  readonly sizeBytes: number;
}

/**
 * Copies of files that lie elsewhere, as many bytes as may be: what was not used for longest goes first.
 *
 * Invariants:
 * 1. Its files never take more than `maxBytes`; what would not fit beside files in use waits for them.
 * 2. A file has its name only when it is whole.
 */
export interface SegmentCache {
  readonly maxBytes: number;
  /**
   * Paths of the files, in order, which stay until they are released.
   * @throws `unavailable` when they are more than the cache may hold; what `fetch` throws; the signal's reason.
   */
  hold(
    files: readonly CachedFile[],
    fetch: (file: CachedFile, target: string) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<HeldFiles>;
  /** Takes a file in, if there is room for it at once, and removes it where it was. */
  adopt(file: CachedFile, path: string): Promise<void>;
  /** Forgets a file, when nobody uses it. */
  drop(name: string): void;
}

/** Files that stay where they are until they are released. Releasing twice does nothing more. */
export interface HeldFiles {
  readonly paths: readonly string[];
  release(): void;
}

interface Entry {
  readonly sizeBytes: number;
  readonly ready: Promise<void>;
}

/** Files that are fetched side by side for one caller. */
const FETCHES = 4;

/** @param folder Emptied: a power cut may have left files in it that are not whole. */
export function createSegmentCache(folder: string, maxBytes: number): SegmentCache {
  /** The one used last at the end. */
  const entries = new Map<string, Entry>();
  /** Of those who read, and of what is being fetched. */
  const pins = createPins();
  const emptied = rm(folder, { recursive: true, force: true });
  emptied.catch(() => {});
  /** A file that comes back must not be met by its own removal. */
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

  /** Makes room for more bytes; false when what is in use leaves none. */
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

  /** Holds the files, and begins to fetch those that are missing; undefined when there is no room for them now. */
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
      return { ...{ file, resolve, reject }, fetched: pins.hold([file.name]) };
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
          `These logs come to ${mebibytes(bytes)} and have to be fetched; this server keeps ${mebibytes(maxBytes)} (BERTH_LOG_CACHE). Ask for less, or the operator for a larger cache.`,
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
        return { paths: files.map((file) => pathOf(file.name)), release };
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
