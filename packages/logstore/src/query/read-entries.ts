import type { StoredEntry } from '../entry/log-entry.ts';
import { scanBackward, scanForward } from '../lines/line-scan.ts';
import type { LogFiles, ReadableFile } from '../lines/log-files.ts';
import { decodeLine, toStoredEntry } from '../lines/record-line.ts';
import { findStartAfter } from '../lines/segment-search.ts';
import type { ColumnsSegment, LinesSegment, LogPlace, Segment } from '../ports/segment.ts';
import type { LogNames } from '../processes/log-engine/entry-columns.ts';
import type { Columns } from '../segments/open-columns.ts';
import type { FilterBounds } from './filter/filter-bounds.ts';
import type { SqlCondition } from './filter/to-sql.ts';
import { mayHold } from './segments-within.ts';

/** Which entries are wanted, to be asked of one and of a table of them. */
export interface EntryFilter {
  /** False for a line that can't fit; see `createLineGuard`. */
  mayFit(line: Buffer): boolean;
  fits(entry: StoredEntry): boolean;
  readonly where?: SqlCondition;
  /** Whether all fit. */
  readonly isAll: boolean;
  /** What an entry that fits is within, so that segments can be passed over; see `boundsOf`. */
  readonly bounds: FilterBounds;
}

/** What is read of. */
export interface ReadSource {
  readonly files: LogFiles;
  readonly place: LogPlace;
  /** Reads the segments of columns. */
  readonly columns: Columns | undefined;
  /** Oldest first. */
  readonly segments: readonly Segment[];
  /** The scope tag goes into the entries' ids. */
  readonly names: LogNames;
  readonly filter: EntryFilter;
  readonly signal?: AbortSignal | undefined;
}

/** What is read, and how much at most. */
export interface ReadPlan extends ReadSource {
  readonly limit: number;
  /** Encoded bytes after which the answer ends; at least one entry is always answered. */
  readonly answerBytes: number;
}

/**
 * The newest entries, oldest first. Memory: the answer and one chunk of a file.
 * @throws the system's error: `ENOENT` when a segment was removed or replaced since the list was made.
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

/** The oldest entries after `since` (a timestamp of the log). @throws as {@link readNewest}. */
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

/** One way through the segments. */
interface Scan {
  readonly from: 'oldest' | 'newest';
  readonly since?: string;
  /** Takes the lines of a segment into the answer. */
  visit(file: ReadableFile, segment: LinesSegment): Promise<void>;
}

/** Segments of columns that are asked at once, where the ones before held too little: few, then many. */
const BATCH_GROWTH = 16;
/** And as many bytes of them: where they have to be fetched, the rest may not be needed. */
const BATCH_BYTES = 256 * 2 ** 20;

async function readSegments(plan: ReadPlan, segments: readonly Segment[], answer: Answer, scan: Scan): Promise<void> {
  const { filter, columns } = plan;
  const maxBytes = Math.min(BATCH_BYTES, columns?.shelf.holdBytes ?? BATCH_BYTES);
  let batchSize = 1;
  let batch: ColumnsSegment[] = [];
  let batchBytes = 0;
  const readBatch = async () => {
    if (batch.length > 0) await readColumns(plan, batch, answer, scan);
    if (filter.where && batch.length > 0) batchSize *= BATCH_GROWTH;
    batch = [];
    batchBytes = 0;
  };
  for (const segment of segments) {
    if (answer.isFull) return;
    if (segment.kind === 'lines') {
      await readBatch();
      if (!answer.isFull) await withFile(plan, segment, (file) => scan.visit(file, segment));
      continue;
    }
    if (!mayHold(segment, filter.bounds) || segment.endsAt <= (scan.since ?? '')) continue;
    if (batch.length >= batchSize || batchBytes + segment.sizeBytes > maxBytes) await readBatch();
    batch.push(segment);
    batchBytes += segment.sizeBytes;
  }
  if (!answer.isFull) await readBatch();
}

async function readColumns(
  plan: ReadPlan,
  batch: readonly ColumnsSegment[],
  answer: Answer,
  scan: Scan,
): Promise<void> {
  const { columns, place, names, filter, signal } = plan;
  if (!columns) throw new Error('the log has segments of columns, and there is no engine to read them');
  const held = await columns.shelf.hold(place, batch, signal);
  try {
    const request = {
      // The engine does not mind their order.
      files: batch.map(({ startsAt, endsAt }, index) => ({ path: held.paths[index] ?? '', startsAt, endsAt })),
      names,
      from: scan.from,
      limit: answer.entriesLeft,
      answerBytes: answer.bytesLeft,
      ...(scan.since === undefined ? {} : { since: scan.since }),
      ...(filter.where ? { where: filter.where } : {}),
    };
    const { entries, isCut } = await columns.engine.select(request, signal);
    answer.takeAll(entries, isCut);
  } finally {
    held.release();
  }
}

interface Answer {
  readonly entries: StoredEntry[];
  readonly isFull: boolean;
  readonly entriesLeft: number;
  readonly bytesLeft: number;
  /** Adds the entry of a line unless it is damaged or not after `since`; false when nothing more is wanted. */
  take(line: Buffer, since?: string): boolean;
  /** Adds entries that fit. */
  takeAll(more: readonly StoredEntry[], isCut: boolean): void;
}

function createAnswer({ limit, answerBytes, names, filter, signal }: ReadPlan): Answer {
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
      signal?.throwIfAborted();
      if (!filter.mayFit(line)) return true;
      const fields = decodeLine(line);
      if (!fields || (since !== undefined && fields.timestamp <= since)) return true;
      const entry = toStoredEntry(fields, names.scopeTag);
      if (!filter.fits(entry)) return true;
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

/** Opens a segment for `work`. @throws the system's error. */
export async function withFile<Result>(
  { files }: Pick<ReadSource, 'files'>,
  segment: LinesSegment,
  work: (file: ReadableFile) => Promise<Result>,
): Promise<Result> {
  const file = await files.openForReading(segment.path);
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}
