import type { Clock, Timer } from '@berth/kit';
import { type OpenFolder, statOf } from '@berth/kit/node';
import type { ByteString } from './byte-string.ts';
import { type FolderSnapshot, readSnapshot, SNAPSHOT_BOUNDS, type SnapshotBounds } from './folder-snapshot.ts';

/** A part of a folder's entries. */
export interface FolderWindow {
  /** Names, sorted; that of a folder ends in a slash. */
  readonly keys: readonly ByteString[];
  /** True when no entries come after these. */
  readonly isLast: boolean;
}

/** Reads folders in the order of their keys. */
export interface FolderWindows {
  /** Returns the first entries whose keys come after `floor`. */
  read(folder: OpenFolder, floor: ByteString): Promise<FolderWindow>;
  /** Frees the memory. */
  clear(): void;
}

export interface FolderWindowsOptions {
  readonly clock: Clock;
  /** Age at which a folder's time shows each later change. */
  readonly settleNs?: bigint | undefined;
  readonly bounds?: SnapshotBounds | undefined;
}

/** Entries of a window: a page has no more. */
const WINDOW_ENTRIES = 1_024;
/** File times advance in kernel ticks of at most 10 ms: a change within one tick could go unnoticed. */
const TICK_NS = 20_000_000n;
/** How long a folder that no one lists stays in memory. */
const KEPT_MS = 60_000;

interface CachedSnapshot {
  readonly folder: string;
  readonly mtimeNs: bigint;
  readonly floor: ByteString;
  readonly snapshot: FolderSnapshot;
}

/**
 * Creates a reader that pages through a folder of a million entries. Services change folders without telling, so the first page
 * reads the folder. Later pages come from memory as long as the folder does not change. Smaller folders are read again for each
 * page, which takes a millisecond.
 */
export function createFolderWindows({
  clock,
  settleNs = TICK_NS,
  bounds = SNAPSHOT_BOUNDS,
}: FolderWindowsOptions): FolderWindows {
  let cached: CachedSnapshot[] = [];
  let timer: Timer | undefined;
  const clear = () => {
    timer?.cancel();
    cached = [];
  };
  /** Keeps the latest ones, as many as one snapshot may be large. */
  const keep = (latest: CachedSnapshot) => {
    timer?.cancel();
    const others = cached.filter((one) => one !== latest && one.folder !== latest.folder);
    let room = bounds.runKeys * bounds.maxRuns;
    cached = [latest, ...others].filter(({ snapshot }) => {
      room -= snapshot.size;
      return room >= 0;
    });
    timer = clock.setTimer(KEPT_MS, clear);
  };
  return {
    async read(folder, floor) {
      const stats = await statOf(folder.handle);
      const id = `${stats.dev}:${stats.ino}`;
      const known = cached.find((one) => one.folder === id && one.mtimeNs === stats.mtimeNs && reaches(one, floor));
      if (known) {
        keep(known);
        return windowOf(known.snapshot, floor);
      }
      const isSettled = BigInt(Date.now()) * 1_000_000n - stats.mtimeNs > settleNs;
      const snapshot = await readSnapshot(folder, floor, bounds);
      if (isSettled && snapshot.size > WINDOW_ENTRIES) keep({ folder: id, mtimeNs: stats.mtimeNs, floor, snapshot });
      return windowOf(snapshot, floor);
    },
    clear,
  };
}

function windowOf(snapshot: FolderSnapshot, floor: ByteString): FolderWindow {
  const keys = snapshot.after(floor, WINDOW_ENTRIES);
  return { keys, isLast: snapshot.isComplete && (keys.length < WINDOW_ENTRIES || keys.at(-1) === snapshot.last) };
}

/** Returns true when a snapshot contains the first entry after `floor`. */
function reaches({ floor: from, snapshot }: CachedSnapshot, floor: ByteString): boolean {
  return from <= floor && (snapshot.isComplete || (snapshot.last !== undefined && floor < snapshot.last));
}
