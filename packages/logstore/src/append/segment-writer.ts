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
  nameOf,
  type ParquetSegment,
  type Segment,
} from '../ports/segment.ts';
import { countSurplus } from '../segments/count-surplus.ts';
import { type FindSegmentsOptions, findSegments, recordChange } from '../segments/find-segments.ts';
import { createPins } from '../segments/pins.ts';
import type { Reconciliation } from '../segments/reconcile.ts';
import { lineSegmentName } from '../segments/segment-name.ts';

/**
 * Writes the segments of one log, oldest first. Calls must not overlap, except for {@link sync}.
 *
 * Invariants:
 * 1. Only the last segment grows, and only by whole lines; after a failure its size is what it was. It is a line
 *    segment.
 * 2. The Parquet segments are those of the catalog. A segment that replaces lines is written first: the object, then
 *    its row; then the lines are removed. Whatever a crash leaves in between duplicates other segments, and the next
 *    start removes it.
 * 3. `lastTimestamp` never goes back, not even over restarts, as long as the disk keeps what was synced: when every
 *    entry has expired, the name of an empty segment carries it.
 */
export interface SegmentWriter {
  readonly place: LogPlace;
  readonly segments: readonly Segment[];
  /** Timestamp of the newest entry ever written; undefined for a new log. */
  readonly lastTimestamp: string | undefined;
  /** Finds the segments and truncates what a crash left half-written. Only the first successful call does anything. */
  load(): Promise<void>;
  /** Appends encoded lines; the timestamps are those of the first and last entry. */
  write(lines: Buffer, firstTimestamp: string, lastTimestamp: string): Promise<void>;
  /** Syncs what was written since the last call. A failed sync is not retried. */
  sync(): Promise<void>;
  /** Removes the oldest segments while the log is over its maximum size or, when given, age. */
  trim(nowMs: number, maxAgeMs?: number): Promise<void>;
  /**
   * Replaces adjacent segments with the Parquet segment made from them. Returns false, and changes nothing, when one of
   * them has been removed in the meantime.
   */
  replace(sources: readonly Segment[], made: ParquetSegment): Promise<boolean>;
  /** Applies the result of `reconcile`. */
  apply(change: Reconciliation): Promise<void>;
  /** Keeps the files of these line segments until the returned function is called, even when they leave the log. */
  holdLines(lines: readonly LineSegment[]): () => void;
  /** Returns, once, the segments that are no longer part of the log; the caller removes their objects. */
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
  /** True when there may be bytes after the last segment's whole lines. */
  let isTailDirty = false;

  async function load(): Promise<void> {
    if (isLoaded) return;
    // A copy: the last segment grows in place.
    const found: OpenSegment[] = await findSegments(options, (surplus) => garbage.push(...surplus));
    const last = found.at(-1);
    if (last?.kind === 'parquet') lastTimestamp = last.endsAt;
    else if (last) {
      await using file = await files.openForReading(last.path);
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
    // If the process ends first, the next start removes the file.
    else pins.whenFree(path, () => runInBackground('remove log lines', files.remove(path), logger));
    unsynced.delete(path);
  }

  async function trim(nowMs: number, maxAgeMs = Number.POSITIVE_INFINITY): Promise<void> {
    const keptFromMs = nowMs - maxAgeMs;
    const count = countSurplus(segments, limits.maxBytes, keptFromMs);
    if (count > 0) await removeOldest(count);
    const only = segments[0];
    const isExpired = lastTimestamp !== undefined && timestampMs(lastTimestamp) <= keptFromMs;
    if (segments.length === 1 && only && only.sizeBytes > 0 && lastTimestamp && isExpired) {
      await addSegment(createTimestampSequence(lastTimestamp).next(timestampMs(lastTimestamp)));
      await removeOldest(1);
    }
  }

  async function replace(sources: readonly Segment[], made: ParquetSegment): Promise<boolean> {
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
      // The next start would remove lines that a Parquet segment overlaps, with entries that were appended meanwhile.
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
      // After the write: a concurrent sync must not count these bytes as synced.
      unsynced.add(segment.path);
      segment.sizeBytes += lines.length;
      lastTimestamp = newLastTimestamp;
    },
    async sync() {
      const paths = [...unsynced];
      unsynced.clear();
      const failures: unknown[] = [];
      for (const path of paths) {
        // A missing file was removed by retention in the meantime.
        await files.sync(path).catch((error: unknown) => isMissing(error) || failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}
