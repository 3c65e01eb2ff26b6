import { basename, join } from 'node:path';
import type { FileLogLimits } from './file-log-limits.ts';
import { isMissing, type LogFiles } from './log-files.ts';
import { parseSegmentName, segmentName } from './segment-name.ts';
import { findLastEntry } from './segment-search.ts';
import { createTimestampSequence, timestampMs } from './timestamp.ts';

/** A file of a log. */
export interface Segment {
  readonly path: string;
  /** Its entries are at this time or later, and before that of the segment after it. */
  readonly startsAt: string;
  /** Of its last entry. Only a segment of columns (Parquet) has it, which is whole and never grows; others are lines. */
  readonly endsAt?: string;
  /** Bytes that hold whole lines; what a failed write left after them is not to be read. */
  readonly sizeBytes: number;
}

/**
 * The segments of one log, oldest first. Its methods must not overlap, but for {@link sync}.
 *
 * Invariants:
 * 1. Only the last segment grows, and only by whole lines; after a failure its size is what it was. It is one of lines.
 * 2. `lastTimestamp` never goes back, also over restarts, as long as the disk keeps what was synced: when every entry
 *    is too old to be kept, the name of an empty segment carries it.
 */
export interface SegmentWriter {
  readonly folder: string;
  readonly segments: readonly Segment[];
  /** Of the newest entry ever written; undefined for a log without any. */
  readonly lastTimestamp: string | undefined;
  /** Finds the segments and cuts what a crash left half-written; only the first call that succeeds does something. */
  load(): Promise<void>;
  /** Appends encoded lines whose first and last entry are at these times. */
  write(lines: Buffer, firstTimestamp: string, lastTimestamp: string): Promise<void>;
  /** Forces what was written since the last call to the disk; what it failed for once is not tried again. */
  sync(): Promise<void>;
  /** Removes the segments that are over the bounds of size and age. */
  trim(nowMs: number): Promise<void>;
  /**
   * Puts a segment of columns in the place of neighbours whose entries it holds, and removes their files. Where one of
   * them has gone meanwhile, the new file goes instead.
   */
  replace(sources: readonly Segment[], path: string): Promise<void>;
}

export interface SegmentWriterOptions {
  /** Absolute; made when the first entry comes. */
  readonly folder: string;
  readonly files: LogFiles;
  readonly limits: Pick<FileLogLimits, 'maxBytes' | 'maxAgeMs' | 'segmentBytes' | 'segmentMs'>;
}

/** Where the engine makes a segment of columns; see `writeColumns`. */
const WORK_FOLDER = /^tmp-/;

type OpenSegment = { -readonly [Field in keyof Segment]: Segment[Field] };

export function createSegmentWriter({ folder, files, limits }: SegmentWriterOptions): SegmentWriter {
  const segments: OpenSegment[] = [];
  const unsynced = new Set<string>();
  let isLoaded = false;
  let lastTimestamp: string | undefined;
  /** Something may lie after the last segment's whole lines. */
  let isTailDirty = false;

  async function load(): Promise<void> {
    if (isLoaded) return;
    const found = await findSegments();
    const last = found.at(-1);
    if (last?.endsAt !== undefined) lastTimestamp = last.endsAt;
    else if (last) {
      await using file = await closing(files.openForReading(last.path));
      const { end, timestamp } = await findLastEntry(file, last.sizeBytes);
      isTailDirty = end < last.sizeBytes;
      last.sizeBytes = end;
      lastTimestamp = timestamp ?? last.startsAt;
    }
    segments.push(...found);
    isLoaded = true;
  }

  /** The segments, oldest first, without what a crash left of making one of columns. */
  async function findSegments(): Promise<OpenSegment[]> {
    const found: OpenSegment[] = [];
    for (const name of await files.list(folder)) {
      const path = join(folder, name);
      const times = parseSegmentName(name);
      if (times) found.push({ path, ...times, sizeBytes: await files.size(path) });
      else if (WORK_FOLDER.test(name)) await files.removeFolder(path);
    }
    // Of two that begin together the one that reaches further holds the other.
    found.sort((a, b) => compare(a.startsAt, b.startsAt) || compare(b.endsAt ?? '', a.endsAt ?? ''));
    const kept: OpenSegment[] = [];
    for (const segment of found) {
      const isHeld = segment.startsAt <= (kept.at(-1)?.endsAt ?? '');
      if (isHeld) await files.remove(segment.path);
      else kept.push(segment);
    }
    return kept;
  }

  async function addSegment(startsAt: string): Promise<OpenSegment> {
    const segment = { path: join(folder, segmentName(startsAt)), startsAt, sizeBytes: 0 };
    await files.create(segment.path);
    segments.push(segment);
    return segment;
  }

  function isFull(segment: Segment, moreBytes: number, timestamp: string): boolean {
    if (segment.sizeBytes === 0) return false;
    if (segment.sizeBytes + moreBytes > limits.segmentBytes) return true;
    return timestampMs(timestamp) - timestampMs(segment.startsAt) >= limits.segmentMs;
  }

  async function removeOldest(): Promise<void> {
    const oldest = segments[0];
    if (!oldest) return;
    await files.remove(oldest.path);
    unsynced.delete(oldest.path);
    segments.shift();
  }

  async function trim(nowMs: number): Promise<void> {
    let totalBytes = segments.reduce((sum, segment) => sum + segment.sizeBytes, 0);
    const isTooOld = (timestamp: string) => timestampMs(timestamp) <= nowMs - limits.maxAgeMs;
    for (let next = segments[1]; next; next = segments[1]) {
      if (totalBytes <= limits.maxBytes && !isTooOld(next.startsAt)) break;
      totalBytes -= segments[0]?.sizeBytes ?? 0;
      await removeOldest();
    }
    const only = segments[0];
    if (segments.length === 1 && only && only.sizeBytes > 0 && lastTimestamp && isTooOld(lastTimestamp)) {
      await addSegment(createTimestampSequence(lastTimestamp).next(timestampMs(lastTimestamp)));
      await removeOldest();
    }
  }

  async function replace(sources: readonly Segment[], path: string): Promise<void> {
    const first = segments.findIndex((segment) => segment.path === sources[0]?.path);
    const isWhole =
      first !== -1 && sources.every(({ path: source }, index) => segments[first + index]?.path === source);
    const times = parseSegmentName(basename(path));
    if (!isWhole || !times) return files.remove(path);
    segments.splice(first, sources.length, { path, ...times, sizeBytes: await files.size(path) });
    for (const { path: source } of sources) {
      unsynced.delete(source);
      // A file of the same name is the new one.
      if (source !== path) await files.remove(source);
    }
  }

  return {
    folder,
    segments,
    replace,
    get lastTimestamp() {
      return lastTimestamp;
    },
    load,
    trim,
    async write(lines, firstTimestamp, newLastTimestamp) {
      let segment = segments.at(-1);
      if (segment?.endsAt !== undefined) segment = undefined;
      if (segment && isTailDirty) await files.truncate(segment.path, segment.sizeBytes);
      isTailDirty = false;
      if (!segment || isFull(segment, lines.length, firstTimestamp)) segment = await addSegment(firstTimestamp);
      isTailDirty = true;
      await files.write(segment.path, segment.sizeBytes, lines);
      isTailDirty = false;
      // After the write: a sync that runs meanwhile must not count these bytes as its own.
      unsynced.add(segment.path);
      segment.sizeBytes += lines.length;
      lastTimestamp = newLastTimestamp;
    },
    async sync() {
      const paths = [...unsynced];
      unsynced.clear();
      const failures: unknown[] = [];
      for (const path of paths) {
        // Missing: removed by age or size meanwhile.
        await files.sync(path).catch((error: unknown) => isMissing(error) || failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

/** A file that closes at the end of the scope. */
async function closing<File extends { close(): Promise<void> }>(
  opening: Promise<File>,
): Promise<File & AsyncDisposable> {
  const file = await opening;
  return Object.assign(file, { [Symbol.asyncDispose]: () => file.close() });
}
