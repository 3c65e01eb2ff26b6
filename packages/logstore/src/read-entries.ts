import type { LogEngine } from './engine/create-log-engine.ts';
import type { LogNames } from './engine/entry-columns.ts';
import type { SqlCondition } from './filter/to-sql.ts';
import { scanBackward, scanForward } from './line-scan.ts';
import type { LogFiles, ReadableFile } from './log-files.ts';
import type { StoredEntry } from './log-store.ts';
import { decodeLine, toStoredEntry } from './record-line.ts';
import { findStartAfter } from './segment-search.ts';
import type { Segment } from './segment-writer.ts';

/** Which entries are wanted, to be asked of one and of a table of them. */
export interface EntryFilter {
  /** False for a line that can't fit; see `createLineGuard`. */
  mayFit(line: Buffer): boolean;
  fits(entry: StoredEntry): boolean;
  readonly where?: SqlCondition;
}

/** What is read, and how much at most. */
export interface ReadPlan {
  readonly files: LogFiles;
  /** Reads the segments of columns. */
  readonly engine: Pick<LogEngine, 'select'> | undefined;
  /** Oldest first. */
  readonly segments: readonly Segment[];
  /** The scope tag goes into the entries' ids. */
  readonly names: LogNames;
  readonly limit: number;
  /** Encoded bytes after which the answer ends; at least one entry is always answered. */
  readonly answerBytes: number;
  readonly filter: EntryFilter;
  readonly signal?: AbortSignal | undefined;
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
  visit(file: ReadableFile, segment: Segment): Promise<void>;
}

/** Segments of columns that are asked at once, where the ones before held too little: few, then many. */
const BATCH_GROWTH = 16;

async function readSegments(plan: ReadPlan, segments: readonly Segment[], answer: Answer, scan: Scan): Promise<void> {
  let batchSize = 1;
  for (let index = 0; index < segments.length && !answer.isFull; ) {
    const segment = segments[index] as Segment;
    if (segment.endsAt === undefined) {
      await withFile(plan, segment, (file) => scan.visit(file, segment));
      index++;
      continue;
    }
    const rest = segments.slice(index, index + batchSize);
    const lines = rest.findIndex((one) => one.endsAt === undefined);
    const batch = lines === -1 ? rest : rest.slice(0, lines);
    await readColumns(plan, batch, answer, scan);
    index += batch.length;
    if (plan.filter.where) batchSize *= BATCH_GROWTH;
  }
}

async function readColumns(plan: ReadPlan, batch: readonly Segment[], answer: Answer, scan: Scan): Promise<void> {
  const { engine, names, filter, signal } = plan;
  if (!engine) throw new Error('the log has segments of columns, and there is no engine to read them');
  const request = {
    // The engine does not mind their order.
    files: batch.map((segment) => segment.path),
    names,
    from: scan.from,
    limit: answer.entriesLeft,
    answerBytes: answer.bytesLeft,
    ...(scan.since === undefined ? {} : { since: scan.since }),
    ...(filter.where ? { where: filter.where } : {}),
  };
  const { entries, isCut } = await engine.select(request, signal);
  answer.takeAll(entries, isCut);
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

async function withFile(
  { files }: ReadPlan,
  segment: Segment,
  work: (file: ReadableFile) => Promise<void>,
): Promise<void> {
  const file = await files.openForReading(segment.path);
  try {
    await work(file);
  } finally {
    await file.close();
  }
}
