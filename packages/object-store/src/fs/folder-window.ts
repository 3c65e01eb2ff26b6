import { type OpenFolder, statOf } from '@berth/kit/node';
import type { ByteString } from './byte-string.ts';
import { type FolderEntry, readEntries } from './read-entries.ts';

/** A part of a folder's entries, sorted by key. */
export interface FolderWindow {
  readonly entries: readonly FolderEntry[];
  /** True when no entries come after these. */
  readonly isLast: boolean;
}

/** Reads folders in the order of their keys. */
export interface FolderWindows {
  /** Returns the first entries whose keys come after `floor`, in memory; reads the whole folder for it. */
  read(folder: OpenFolder, floor: ByteString): Promise<FolderWindow>;
}

/** Entries kept in memory while a folder is read: some 5 MB. Small folders are one window. */
const DEFAULT_WINDOW_ENTRIES = 32_768;
/** Smaller folders are read again for each page, which takes a millisecond or two. */
const CACHED_ENTRIES = 1_024;
const CACHED_WINDOWS = 4;
/** File times advance in kernel ticks of at most 10 ms: a change within one tick could go unnoticed. */
const TICK_NS = 20_000_000n;

interface CachedWindow {
  readonly folder: string;
  readonly mtimeNs: bigint;
  readonly floor: ByteString;
  readonly window: FolderWindow;
}

/**
 * Creates a reader that pages through a folder of a million entries in constant memory. The file system returns entries
 * in no order, so the next {@link DEFAULT_WINDOW_ENTRIES} are selected while the whole folder is read. Pages within
 * that window need no further read as long as the folder does not change.
 * @param settleNs Age at which a folder's time shows each later change.
 */
export function createFolderWindows(
  windowEntries: number = DEFAULT_WINDOW_ENTRIES,
  settleNs: bigint = TICK_NS,
): FolderWindows {
  let cached: CachedWindow[] = [];
  return {
    async read(folder, floor) {
      const stats = await statOf(folder.handle);
      const id = `${stats.dev}:${stats.ino}`;
      const known = cached.find((one) => one.folder === id && one.mtimeNs === stats.mtimeNs && reaches(one, floor));
      if (known) {
        cached = [known, ...cached.filter((one) => one !== known)];
        return { entries: known.window.entries.slice(indexAfter(known.window, floor)), isLast: known.window.isLast };
      }
      const isSettled = BigInt(Date.now()) * 1_000_000n - stats.mtimeNs > settleNs;
      const window = await select(folder, floor, windowEntries);
      if (isSettled && window.entries.length >= Math.min(CACHED_ENTRIES, windowEntries)) {
        cached = [{ folder: id, mtimeNs: stats.mtimeNs, floor, window }, ...cached].slice(0, CACHED_WINDOWS);
      }
      return window;
    },
  };
}

/** Returns true when a window contains the first entry after `floor`. */
function reaches({ floor: from, window }: CachedWindow, floor: ByteString): boolean {
  if (from > floor) return false;
  const last = window.entries.at(-1);
  return window.isLast || (last !== undefined && floor < last.key);
}

/** Returns the index of the first entry after `floor`. */
function indexAfter({ entries }: FolderWindow, floor: ByteString): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle] as FolderEntry).key > floor) high = middle;
    else low = middle + 1;
  }
  return low;
}

async function select(folder: OpenFolder, floor: ByteString, size: number): Promise<FolderWindow> {
  let entries: FolderEntry[] = [];
  let ceiling: ByteString | undefined;
  const shrink = () => {
    entries.sort((one, other) => (one.key < other.key ? -1 : 1));
    if (entries.length <= size) return;
    entries = entries.slice(0, size);
    ceiling = entries.at(-1)?.key;
  };
  for await (const batch of readEntries(folder)) {
    for (const entry of batch) {
      if (entry.key <= floor || (ceiling !== undefined && entry.key > ceiling)) continue;
      if (entries.push(entry) === 2 * size) shrink();
    }
  }
  shrink();
  return { entries, isLast: ceiling === undefined };
}
