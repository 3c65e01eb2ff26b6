import { setImmediate } from 'node:timers/promises';
import type { OpenFolder } from '@berth/kit/node';
import type { ByteString } from './byte-string.ts';
import { readEntries } from './read-entries.ts';

/** Bounds of a {@link FolderSnapshot}. */
export interface SnapshotBounds {
  /** Keys that are sorted at once, in a few milliseconds. */
  readonly runKeys: number;
  /** Sorted runs that are held; some 20 bytes a key. */
  readonly maxRuns: number;
  /** Snapshots of at least so many keys are also stored on disk. */
  readonly storedKeys: number;
}

/** Two million keys, which take 40 MB. A folder of 65,536 is read in 60 ms. */
export const SNAPSHOT_BOUNDS: SnapshotBounds = { runKeys: 8_192, maxRuns: 256, storedKeys: 65_536 };

/** The sorted keys of a folder at one time, from a floor on. */
export interface FolderSnapshot {
  readonly size: number;
  /** True when the folder has no more keys than these. */
  readonly isComplete: boolean;
  /** The largest key; undefined when there is none. */
  readonly last: ByteString | undefined;
  /** All of its keys. Each run is sorted by itself. */
  readonly runs: readonly Run[];
  /** Returns the first `count` keys after `floor`. */
  after(floor: ByteString, count: number): ByteString[];
}

/** Sorted keys, packed: as strings, a million of them would take several times the memory. */
export interface Run {
  readonly bytes: Buffer;
  /** Where each key ends. */
  readonly ends: Uint32Array;
}

/**
 * Reads the keys of a folder that come after `floor`. The file system returns them in no order, so each part is sorted by itself,
 * and readers merge the parts. When a folder has more keys than the bounds allow, the smallest are kept.
 */
export async function readSnapshot(
  folder: OpenFolder,
  floor: ByteString,
  { runKeys, maxRuns }: Pick<SnapshotBounds, 'runKeys' | 'maxRuns'>,
): Promise<FolderSnapshot> {
  let runs: Run[] = [];
  let keys: ByteString[] = [];
  let ceiling: ByteString | undefined;
  const add = (key: ByteString) => {
    if (keys.push(key) < runKeys) return;
    runs.push(pack(keys));
    keys = [];
  };
  /** Drops more than a third of the keys, and keeps at least an eighth: those up to the lowest quarter of the runs' middles. */
  const shrink = async () => {
    const middles = runs.map((run) => keyAt(run, (run.ends.length - 1) >> 1)).sort();
    const limit = middles[middles.length >> 2] as ByteString;
    const [full, rest] = [runs, keys];
    [runs, keys, ceiling] = [[], [], limit];
    for (const key of rest) if (key <= limit) add(key);
    for (const run of full) {
      const end = indexAfter(run, limit);
      for (let index = 0; index < end; index++) add(keyAt(run, index));
      await setImmediate();
    }
  };
  for await (const batch of readEntries(folder)) {
    for (const { key } of batch) if (key > floor && (ceiling === undefined || key <= ceiling)) add(key);
    if (runs.length >= maxRuns) await shrink();
  }
  if (keys.length > 0) runs.push(pack(keys));
  return createSnapshot(runs, ceiling === undefined);
}

/** Creates the snapshot that consists of `runs`. */
export function createSnapshot(runs: readonly Run[], isComplete: boolean): FolderSnapshot {
  return {
    ...{ runs, isComplete },
    size: runs.reduce((sum, { ends }) => sum + ends.length, 0),
    last: runs
      .map((run) => keyAt(run, run.ends.length - 1))
      .sort()
      .at(-1),
    after: (from, count) => merge(runs, from, count),
  };
}

function pack(keys: ByteString[]): Run {
  // The order of UTF-16, which is that of the bytes here.
  keys.sort();
  const ends = new Uint32Array(keys.length);
  let end = 0;
  for (const [index, key] of keys.entries()) ends[index] = end += key.length;
  return { bytes: Buffer.from(keys.join(''), 'latin1'), ends };
}

function keyAt({ bytes, ends }: Run, index: number): ByteString {
  return bytes.toString('latin1', index === 0 ? 0 : ends[index - 1], ends[index]) as ByteString;
}

/** Returns the index of the first key after `floor`. */
function indexAfter(run: Run, floor: ByteString): number {
  let [low, high] = [0, run.ends.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keyAt(run, middle) > floor) high = middle;
    else low = middle + 1;
  }
  return low;
}

function merge(runs: readonly Run[], floor: ByteString, count: number): ByteString[] {
  const heads = runs.flatMap((run) => {
    const index = indexAfter(run, floor);
    return index < run.ends.length ? [{ run, index, key: keyAt(run, index) }] : [];
  });
  const merged: ByteString[] = [];
  while (merged.length < count && heads.length > 0) {
    let first = 0;
    for (let other = 1; other < heads.length; other++) {
      if ((heads[other] as (typeof heads)[0]).key < (heads[first] as (typeof heads)[0]).key) first = other;
    }
    const head = heads[first] as (typeof heads)[0];
    merged.push(head.key);
    if (++head.index < head.run.ends.length) head.key = keyAt(head.run, head.index);
    else heads.splice(first, 1);
  }
  return merged;
}
