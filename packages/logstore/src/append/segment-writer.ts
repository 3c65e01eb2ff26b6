import { join } from 'node:path';
import { runInBackground } from '@berth/kit';
import { createTimestampSequence, timestampMs } from '../entry/timestamp.ts';
import type { FileLogLimits } from '../limits/file-log-limits.ts';
import { isMissing } from '../lines/log-files.ts';
import { findLastEntry } from '../lines/segment-search.ts';
import {
  compareSegments,
  type LineSegment,
  type LogPlace,
  type ParquetSegment,
  type Segment,
} from '../ports/segment.ts';
import { type FindSegmentsOptions, findSegments, recordChange } from '../segments/find-segments.ts';
import { createPins } from '../segments/pins.ts';
import type { Reconciliation } from '../segments/reconcile.ts';
import { lineSegmentName } from '../segments/segment-name.ts';

/**
 * The segments of one log, oldest first. Its methods must not overlap, but for {@link sync}.
 *
 * Invariants:
 * 1. Only the last segment grows, and only by whole lines; after a failure its size is what it was. It is one of lines.
 * 2. Parquet segments are those of the catalogue. One that takes the place of lines is there first: its object, then its row,
 *    then the lines go. What a crash leaves of that holds what others hold, and is removed by the next start.
 * 3. `lastTimestamp` never goes back, also over restarts, as long as the disk keeps what was synced: when every entry
 *    is too old to be kept, the name of an empty segment carries it.
 */
export interface SegmentWriter {
  readonly place: LogPlace;
  readonly segments: readonly Segment[];
  /** Of the newest entry ever written; undefined for a log without any. */
  readonly lastTimestamp: string | undefined;
  /** Finds the segments and cuts what a crash left half-written; only the first call that succeeds does something. */
  load(): Promise<void>;
  /** Appends encoded lines whose first and last entry are at these times. */
  write(lines: Buffer, firstTimestamp: string, lastTimestamp: string): Promise<void>;
  /** Forces what was written since the last call to the disk; what it failed for once is not tried again. */
  sync(): Promise<void>;
  /** Removes the segments that are over the bounds of size and, when given, of age. */
  trim(nowMs: number, maxAgeMs?: number): Promise<void>;
  /**
   * Puts a Parquet segment in the place of neighbours whose entries it holds; false, and nothing is changed, when one of
   * them has gone meanwhile.
   */
  replace(sources: readonly Segment[], made: ParquetSegment): Promise<boolean>;
  /** Takes over what {@link reconcile} found. */
  apply(change: Reconciliation): Promise<void>;
  /** Keeps the files of these line segments until the answer is called, though they may leave the log meanwhile. */
  holdLines(lines: readonly LineSegment[]): () => void;
  /** Objects of segments that are no longer part of the log, to be removed by whoever takes them. */
  takeGarbage(): readonly Pick<ParquetSegment, 'key' | 'store'>[];
}

export interface SegmentWriterOptions extends FindSegmentsOptions {
  readonly limits: Pick<FileLogLimits, 'maxBytes' | 'segmentBytes' | 'segmentMs'>;
}

type OpenLines = { -readonly [Field in keyof LineSegment]: LineSegment[Field] };
type OpenSegment = ParquetSegment | OpenLines;

export function createSegmentWriter(options: SegmentWriterOptions): SegmentWriter {
  const { place, folder, files, limits, parquet, logger } = options;
  const segments: OpenSegment[] = [];
  const unsynced = new Set<string>();
  const pins = createPins();
  let garbage: Pick<ParquetSegment, 'key' | 'store'>[] = [];
  let isLoaded = false;
  let lastTimestamp: string | undefined;
  /** Something may lie after the last segment's whole lines. */
  let isTailDirty = false;

  async function load(): Promise<void> {
    if (isLoaded) return;
    // Its own from here on: the last one grows.
    const found: OpenSegment[] = await findSegments(options, (surplus) => garbage.push(...surplus));
    const last = found.at(-1);
    if (last?.kind === 'parquet') lastTimestamp = last.endsAt;
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

  async function addSegment(startsAt: string): Promise<OpenLines> {
    const segment = { kind: 'lines' as const, path: join(folder, lineSegmentName(startsAt)), startsAt, sizeBytes: 0 };
    await files.create(segment.path);
    segments.push(segment);
    return segment;
  }

  function isFull(segment: Segment, moreBytes: number, timestamp: string): boolean {
    if (segment.sizeBytes === 0) return false;
    if (segment.sizeBytes + moreBytes > limits.segmentBytes) return true;
    return timestampMs(timestamp) - timestampMs(segment.startsAt) >= limits.segmentMs;
  }

  /** Removes the oldest `count` segments. */
  async function removeOldest(count: number): Promise<void> {
    const oldest = segments.slice(0, count);
    const gone = oldest.filter((segment) => segment.kind === 'parquet');
    if (gone.length > 0) await parquet?.catalogue.change(place, { add: [], remove: gone.map(({ key }) => key) });
    garbage.push(...gone);
    for (const segment of [...gone, ...oldest.filter((one) => one.kind === 'lines')]) {
      if (segment.kind === 'lines') await removeLines(segment.path);
      segments.splice(segments.indexOf(segment), 1);
    }
  }

  async function removeLines(path: string): Promise<void> {
    if (!pins.isHeld(path)) await files.remove(path);
    // The next start finds it if this one does not come to it.
    else pins.whenFree(path, () => runInBackground('remove log lines', files.remove(path), logger));
    unsynced.delete(path);
  }

  async function trim(nowMs: number, maxAgeMs = Number.POSITIVE_INFINITY): Promise<void> {
    let totalBytes = segments.reduce((sum, segment) => sum + segment.sizeBytes, 0);
    const isTooOld = (timestamp: string) => timestampMs(timestamp) <= nowMs - maxAgeMs;
    let count = 0;
    for (; count < segments.length - 1; count++) {
      const segment = segments[count] as OpenSegment;
      const end = segment.kind === 'parquet' ? segment.endsAt : (segments[count + 1] as OpenSegment).startsAt;
      if (totalBytes <= limits.maxBytes && !isTooOld(end)) break;
      totalBytes -= segment.sizeBytes;
    }
    if (count > 0) await removeOldest(count);
    const only = segments[0];
    if (segments.length === 1 && only && only.sizeBytes > 0 && lastTimestamp && isTooOld(lastTimestamp)) {
      await addSegment(createTimestampSequence(lastTimestamp).next(timestampMs(lastTimestamp)));
      await removeOldest(1);
    }
  }

  async function replace(sources: readonly Segment[], made: ParquetSegment): Promise<boolean> {
    const nameOf = (segment: Segment) => (segment.kind === 'lines' ? segment.path : segment.key);
    const first = segments.findIndex((segment) => sources[0] && nameOf(segment) === nameOf(sources[0]));
    const current = segments.slice(first, first + sources.length);
    const isWhole =
      first !== -1 && sources.every((source, index) => nameOf(current[index] ?? source) === nameOf(source));
    if (!isWhole || current.length !== sources.length) return false;
    const replaced = current.filter((segment) => segment.kind === 'parquet');
    await parquet?.catalogue.change(place, { add: [made], remove: replaced.map(({ key }) => key) });
    segments.splice(first, sources.length, made);
    garbage.push(...replaced);
    for (const segment of current) if (segment.kind === 'lines') await removeLines(segment.path);
    return true;
  }

  return {
    place,
    segments,
    replace,
    get lastTimestamp() {
      return lastTimestamp;
    },
    load,
    trim,
    async apply(change) {
      const lines = segments.filter((segment) => segment.kind === 'lines');
      // Entries that were appended meanwhile must not go with lines that an object also holds.
      const isApart = (object: ParquetSegment) =>
        lines.every((one, index) => {
          const end = lines[index + 1]?.startsAt ?? lastTimestamp ?? one.startsAt;
          return object.endsAt < one.startsAt || end < object.startsAt;
        });
      const add = change.add.filter(isApart);
      if (add.length < change.add.length)
        logger.warn({ ...place }, 'log segments in the store overlap lines; left there');
      const known = segments.filter((segment) => segment.kind === 'parquet');
      const found = parquet ? await recordChange(parquet, place, known, { ...change, add }) : known;
      garbage.push(...change.surplus);
      segments.splice(0, segments.length, ...[...found, ...lines].sort(compareSegments));
    },
    holdLines: (lines) => pins.hold(lines.map(({ path }) => path)),
    takeGarbage() {
      const taken = garbage;
      garbage = [];
      return taken;
    },
    async write(lines, firstTimestamp, newLastTimestamp) {
      const last = segments.at(-1);
      let segment = last?.kind === 'lines' ? last : undefined;
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

/** A file that closes at the end of the scope. */
async function closing<File extends { close(): Promise<void> }>(
  opening: Promise<File>,
): Promise<File & AsyncDisposable> {
  const file = await opening;
  return Object.assign(file, { [Symbol.asyncDispose]: () => file.close() });
}
