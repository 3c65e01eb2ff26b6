import { isUtf8 } from 'node:buffer';
import { opendir } from 'node:fs/promises';
import { codeOf, isAbsence, type OpenFolder, statOf } from './open-folder.ts';

/** An entry of a folder that objects may come from: a file, or a folder of them. */
export interface FolderEntry {
  readonly name: string;
  readonly isFolder: boolean;
  /** The bytes it is sorted by: its name, and of a folder the slash that its objects' paths go on with. */
  readonly key: Buffer;
}

/** A part of a folder's entries, in the order of their keys. */
export interface FolderWindow {
  readonly entries: readonly FolderEntry[];
  /** No entry comes after these. */
  readonly isLast: boolean;
}

/** Reads folders in the order of their keys. */
export interface FolderWindows {
  /** The first entries whose keys come after `floor`, all in memory; the whole folder is read for it. */
  read(folder: OpenFolder, floor: Buffer | undefined): Promise<FolderWindow>;
}

/** Entries that are kept while a folder is read: some 10 MB. Small folders are one window. */
const DEFAULT_WINDOW_ENTRIES = 32_768;
/** Folders below it are read anew for each page: it takes a few milliseconds. */
const CACHED_ENTRIES = 4_096;
const CACHED_WINDOWS = 4;
/** Times of files move in ticks of the kernel, 10 ms at most: a change within one could go unseen. */
const TICK_NS = 20_000_000n;

interface CachedWindow {
  readonly folder: string;
  readonly mtimeNs: bigint;
  readonly floor: Buffer | undefined;
  readonly window: FolderWindow;
}

/**
 * The file system gives a folder's entries in no order. To page through one of a million in constant memory, the next
 * {@link DEFAULT_WINDOW_ENTRIES} are chosen while all of it is read; the pages that lie in them need no further read as
 * long as the folder does not change.
 */
export function createFolderWindows(windowEntries: number = DEFAULT_WINDOW_ENTRIES): FolderWindows {
  let cached: CachedWindow[] = [];
  return {
    async read(folder, floor) {
      const stats = await statOf(folder.handle);
      const id = `${stats.dev}:${stats.ino}`;
      const known = cached.find((one) => one.folder === id && one.mtimeNs === stats.mtimeNs && reaches(one, floor));
      if (known) {
        cached = [known, ...cached.filter((one) => one !== known)];
        const entries = known.window.entries.filter(({ key }) => !floor || Buffer.compare(key, floor) > 0);
        return { entries, isLast: known.window.isLast };
      }
      const isSettled = BigInt(Date.now()) * 1_000_000n - stats.mtimeNs > TICK_NS;
      const window = await select(folder, floor, windowEntries);
      if (isSettled && window.entries.length >= Math.min(CACHED_ENTRIES, windowEntries)) {
        cached = [{ folder: id, mtimeNs: stats.mtimeNs, floor, window }, ...cached].slice(0, CACHED_WINDOWS);
      }
      return window;
    },
  };
}

/** Whether a window holds the first entry after `floor`. */
function reaches({ floor: from, window }: CachedWindow, floor: Buffer | undefined): boolean {
  if (floor === undefined) return from === undefined;
  if (from !== undefined && Buffer.compare(from, floor) > 0) return false;
  const last = window.entries.at(-1);
  return window.isLast || (last !== undefined && Buffer.compare(floor, last.key) < 0);
}

async function select(folder: OpenFolder, floor: Buffer | undefined, size: number): Promise<FolderWindow> {
  let entries: FolderEntry[] = [];
  let ceiling: Buffer | undefined;
  const shrink = () => {
    entries.sort((one, other) => Buffer.compare(one.key, other.key));
    if (entries.length <= size) return;
    entries = entries.slice(0, size);
    ceiling = entries.at(-1)?.key;
  };
  for await (const entry of readEntries(folder)) {
    if (floor && Buffer.compare(entry.key, floor) <= 0) continue;
    if (ceiling && Buffer.compare(entry.key, ceiling) > 0) continue;
    if (entries.push(entry) === 2 * size) shrink();
  }
  shrink();
  return { entries, isLast: ceiling === undefined };
}

/** Files and folders whose names are text, in no order. */
export async function* readEntries(folder: OpenFolder): AsyncGenerator<FolderEntry> {
  try {
    // The encoding is one that the types of `opendir` do not know.
    const entries = await opendir(folder.at('.'), { encoding: 'buffer' as BufferEncoding, bufferSize: 1_024 });
    for await (const entry of entries) {
      const isFolder = entry.isDirectory();
      if (!isFolder && !entry.isFile()) continue;
      const bytes = entry.name as unknown as Buffer;
      if (!isUtf8(bytes)) continue;
      yield { name: bytes.toString(), isFolder, key: isFolder ? Buffer.concat([bytes, SLASH]) : bytes };
    }
  } catch (error) {
    // Its owner took the folder away, or the right to read it.
    if (!isAbsence(error) && codeOf(error) !== 'EACCES') throw error;
  }
}

const SLASH = Buffer.from('/');
