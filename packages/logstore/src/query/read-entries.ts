import type { StoredEntry } from '../entry/log-entry.ts';
import { scanBackward, scanForward } from '../lines/line-scan.ts';
import type { ReadableFile } from '../lines/log-files.ts';
import { findStartAfter } from '../lines/segment-search.ts';
import type { LineSegment, ParquetSegment, Segment } from '../ports/segment.ts';
import { createLineReader, type ReadSource, withParquetFiles } from './read-source.ts';
import { mayHold } from './segments-within.ts';

/** Selection and limits of a read. */
export interface ReadPlan extends ReadSource {
  readonly limit: number;
  /** Maximum encoded bytes of the result; at least one entry is returned. */
  readonly answerBytes: number;
}

/**
 * Returns the newest entries, oldest first. Memory: the result and one chunk of a file.
 * @throws the system's error: `ENOENT` when a segment was removed or replaced since it was listed.
 */
export async function readNewest(plan: ReadPlan): Promise<StoredEntry[]> {
  const answer = createAnswer(plan);
  const scan: Scan = {
    from: 'newest',
    visit: (file, segment) => scanBackward(file, segment.sizeBytes, (line) => answer.take(line)),
  };
  await readSegments(plan, plan.segments.toReversed(), answer, scan);
  return answer.entries.reverse();
}

/** Returns the oldest entries after `since` (a timestamp of the log). @throws as {@link readNewest}. */
export async function readAfter(plan: ReadPlan, since: string): Promise<StoredEntry[]> {
  const answer = createAnswer(plan);
  const firstIndex = plan.segments.findLastIndex((segment) => segment.startsAt <= since);
  const scan: Scan = {
    from: 'oldest',
    since,
    async visit(file, segment) {
      const start = segment.startsAt > since ? 0 : await findStartAfter(file, segment.sizeBytes, since);
      await scanForward(file, { start, end: segment.sizeBytes }, (line) => answer.take(line, since));
    },
  };
  await readSegments(plan, plan.segments.slice(Math.max(0, firstIndex)), answer, scan);
  return answer.entries;
}

/** A direction through the segments. */
interface Scan {
  readonly from: 'oldest' | 'newest';
  readonly since?: string;
  /** Adds the lines of a segment to the result. */
  visit(file: ReadableFile, segment: LineSegment): Promise<void>;
}

/**
 * Growth of the number of remote Parquet segments per request, when the ones before had too few matches: each is
 * fetched. The engine itself stops early in local ones, so those after the first are one request.
 */
const BATCH_GROWTH = 16;
/** Maximum bytes of the segments of a request. */
const BATCH_BYTES = 256 * 2 ** 20;

async function readSegments(plan: ReadPlan, segments: readonly Segment[], answer: Answer, scan: Scan): Promise<void> {
  const { filter, parquet } = plan;
  const holdBytes = parquet?.storage.holdBytes ?? BATCH_BYTES;
  const maxBytes = Math.min(BATCH_BYTES, holdBytes);
  const growth = holdBytes === Number.POSITIVE_INFINITY ? holdBytes : BATCH_GROWTH;
  let batchSize = 1;
  let batch: ParquetSegment[] = [];
  let batchBytes = 0;
  const readBatch = async () => {
    if (batch.length > 0) await readParquet(plan, batch, answer, scan);
    if (filter.where && batch.length > 0) batchSize *= growth;
    batch = [];
    batchBytes = 0;
  };
  for (const segment of segments) {
    if (answer.isFull) return;
    if (segment.kind === 'lines') {
      await readBatch();
      if (answer.isFull) return;
      if (segment.summary && !mayHold(segment.summary, filter.bounds)) continue;
      await using file = await plan.openLines(segment);
      await scan.visit(file, segment);
      continue;
    }
    if (!mayHold(segment, filter.bounds) || segment.endsAt <= (scan.since ?? '')) continue;
    if (batch.length >= batchSize || batchBytes + segment.sizeBytes > maxBytes) await readBatch();
    batch.push(segment);
    batchBytes += segment.sizeBytes;
  }
  if (!answer.isFull) await readBatch();
}

function readParquet(plan: ReadPlan, batch: readonly ParquetSegment[], answer: Answer, scan: Scan): Promise<void> {
  const { names, filter, signal } = plan;
  return withParquetFiles(plan, batch, async (engine, paths) => {
    const request = {
      // In the order of the scan: once the engine has enough entries, it skips the row groups that come after them.
      files: batch.map(({ startsAt, endsAt }, index) => ({ path: paths[index] ?? '', startsAt, endsAt })),
      names,
      from: scan.from,
      limit: answer.entriesLeft,
      answerBytes: answer.bytesLeft,
      since: scan.since,
      where: filter.where,
      tokens: filter.tokens,
    };
    const { entries, isCut } = await engine.select(request, signal);
    answer.takeAll(entries, isCut);
  });
}

interface Answer {
  readonly entries: StoredEntry[];
  readonly isFull: boolean;
  readonly entriesLeft: number;
  readonly bytesLeft: number;
  /** Adds the entry of a line, unless it is damaged or not after `since`. Returns false when the result is full. */
  take(line: Buffer, since?: string): boolean;
  /** Adds matching entries. */
  takeAll(more: readonly StoredEntry[], isCut: boolean): void;
}

function createAnswer(plan: ReadPlan): Answer {
  const { limit, answerBytes } = plan;
  const read = createLineReader(plan);
  const entries: StoredEntry[] = [];
  let bytes = 0;
  let isFull = false;
  return {
    entries,
    get isFull() {
      return isFull;
    },
    get entriesLeft() {
      return limit - entries.length;
    },
    get bytesLeft() {
      return Math.max(0, answerBytes - bytes);
    },
    take(line, since) {
      const entry = read(line);
      if (!entry || (since !== undefined && entry.timestamp <= since)) return true;
      if (entries.length > 0 && bytes + line.length > answerBytes) isFull = true;
      else {
        entries.push(entry);
        bytes += line.length;
        isFull = entries.length >= limit;
      }
      return !isFull;
    },
    takeAll(more, isCut) {
      entries.push(...more);
      for (const entry of more) bytes += entry.message.length;
      isFull = isCut || entries.length >= limit || bytes >= answerBytes;
    },
  };
}
