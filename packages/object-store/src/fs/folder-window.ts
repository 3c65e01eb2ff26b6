import type { BigIntStats } from 'node:fs';
import type { Clock, Timer } from '@berth/kit';
import { type OpenFolder, statOf } from '@berth/kit/node';
import { type ByteString, toBytes } from './byte-string.ts';
import { type FolderSnapshot, readSnapshot, SNAPSHOT_BOUNDS, type SnapshotBounds } from './folder-snapshot.ts';
import type { StoredSnapshots } from './stored-snapshots.ts';

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
  /** Stores the names of a folder of `entries` entries, when that makes its next listing faster. */
  prepare(folder: OpenFolder, entries: number): Promise<void>;
  /** Frees the memory. Idempotent. */
  close(): Promise<void>;
}

export interface FolderWindowsOptions {
  readonly clock: Clock;
  readonly stored: StoredSnapshots;
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
/** Names are stored this long after they were read, so that a folder that changes all the time is not stored for each page. */
const SAVE_MS = 10_000;
const START = toBytes('');

interface CachedSnapshot {
  readonly stats: BigIntStats;
  readonly floor: ByteString;
  readonly snapshot: FolderSnapshot;
}

/**
 * Creates a reader that pages through a folder of a million entries. Services change folders without telling, so the first page
 * after a change reads the folder. Other pages come from memory, or from disk after a minute or a restart. Smaller folders are read
 * again for each page, which takes a millisecond.
 */
export function createFolderWindows({
  clock,
  stored,
  settleNs = TICK_NS,
  bounds = SNAPSHOT_BOUNDS,
}: FolderWindowsOptions): FolderWindows {
  let cached: CachedSnapshot[] = [];
  let timer: Timer | undefined;
  let saveTimer: Timer | undefined;
  let saving = Promise.resolve();
  /** Folders with more names than the bounds allow. */
  const tooLarge = new Set<string>();
  const clear = () => {
    timer?.cancel();
    cached = [];
    tooLarge.clear();
  };
  /** Keeps the latest ones, as many as one snapshot may be large. */
  const keep = (latest: CachedSnapshot) => {
    timer?.cancel();
    const others = cached.filter((one) => one !== latest && !isSameFolder(one.stats, latest.stats));
    let room = bounds.runKeys * bounds.maxRuns;
    cached = [latest, ...others].filter(({ snapshot }) => {
      room -= snapshot.size;
      return room >= 0;
    });
    timer = clock.setTimer(KEPT_MS, clear);
  };
  /** Reads a folder from the start that serves most pages, unless its names up to `floor` fill the memory. */
  const readToKeep = async (
    folder: OpenFolder,
    stats: BigIntStats,
    start: ByteString,
    floor: ByteString,
  ): Promise<CachedSnapshot> => {
    const id = `${stats.dev}:${stats.ino}`;
    if (!tooLarge.has(id)) {
      const read = { stats, floor: start, snapshot: await readSnapshot(folder, start, bounds) };
      if (reaches(read, floor)) return read;
      tooLarge.add(id);
    }
    return { stats, floor, snapshot: await readSnapshot(folder, floor, bounds) };
  };
  const saveAll = async (): Promise<void> => {
    for (const { stats, floor, snapshot } of cached) {
      if (floor !== START || snapshot.size < bounds.storedKeys || (await stored.has(stats))) continue;
      await stored.save(stats, snapshot);
    }
  };
  const saveSoon = () => {
    saveTimer ??= clock.setTimer(SAVE_MS, () => {
      saveTimer = undefined;
      saving = saving.then(saveAll);
    });
  };
  // The change time is no earlier than any change, whatever a service has set the modification time to.
  const isSettled = ({ ctimeNs }: BigIntStats) => BigInt(Date.now()) * 1_000_000n - ctimeNs > settleNs;
  return {
    async read(folder, floor) {
      const stats = await statOf(folder.handle);
      const known = cached.find((one) => isSameState(one.stats, stats) && reaches(one, floor));
      if (known) {
        keep(known);
        return windowOf(known.snapshot, floor);
      }
      const found = await stored.find(stats);
      if (found) {
        keep({ stats, floor: START, snapshot: found });
        return windowOf(found, floor);
      }
      const mayKeep = isSettled(stats);
      const read = await readToKeep(folder, stats, mayKeep ? START : floor, floor);
      if (mayKeep && read.snapshot.size > WINDOW_ENTRIES) {
        keep(read);
        saveSoon();
      }
      return windowOf(read.snapshot, floor);
    },
    async prepare(folder, entries) {
      if (entries < bounds.storedKeys) return;
      const stats = await statOf(folder.handle);
      if (!isSettled(stats) || (await stored.has(stats))) return;
      await stored.save(stats, await readSnapshot(folder, START, bounds));
    },
    async close() {
      clear();
      saveTimer?.cancel();
      await saving;
    },
  };
}

function isSameFolder(one: BigIntStats, other: BigIntStats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

function isSameState(one: BigIntStats, other: BigIntStats): boolean {
  return isSameFolder(one, other) && one.mtimeNs === other.mtimeNs && one.ctimeNs === other.ctimeNs;
}

function windowOf(snapshot: FolderSnapshot, floor: ByteString): FolderWindow {
  const keys = snapshot.after(floor, WINDOW_ENTRIES);
  return { keys, isLast: snapshot.isComplete && (keys.length < WINDOW_ENTRIES || keys.at(-1) === snapshot.last) };
}

/** Returns true when a snapshot contains the first entry after `floor`. */
function reaches({ floor: from, snapshot }: CachedSnapshot, floor: ByteString): boolean {
  return from <= floor && (snapshot.isComplete || (snapshot.last !== undefined && floor < snapshot.last));
}
