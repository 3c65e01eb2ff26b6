import type { Severity } from '@berth/contract';
import type { Clock } from '@berth/kit';
import { formatTimestamp, timestampMs } from '../entry/timestamp.ts';
import { scanForward } from '../lines/line-scan.ts';
import type { ReadableFile } from '../lines/log-files.ts';
import { decodeLine, readLineHead, toStoredEntry } from '../lines/record-line.ts';
import { findStartAfter } from '../lines/segment-search.ts';
import type { CountOptions, LogCounts } from '../ports/log-store.ts';
import type { ColumnsSegment } from '../ports/segment.ts';
import type { ReadSource } from './read-entries.ts';
import { withFile } from './read-entries.ts';
import { mayHold, segmentsWithin } from './segments-within.ts';

export interface CountPlan extends ReadSource {
  readonly span: Pick<CountOptions, 'fromMs' | 'untilMs' | 'buckets' | 'budgetMs'>;
  readonly clock: Clock;
}

/** Bytes of columns that are counted at once: some 100 ms without a filter, so that the budget is kept. */
const BATCH_BYTES = 32 * 2 ** 20;
/** Lines between two looks at the clock. */
const LINES_AT_ONCE = 2_000;

/**
 * Counts entries where they lie: those of columns in the engine, those of lines by the beginning of each where nothing else
 * is asked. @throws as `readNewest`.
 */
export async function countEntries(plan: CountPlan): Promise<LogCounts> {
  const { span, clock, columns, filter, signal } = plan;
  const tally = createTally(span);
  const startedMs = clock.monotonicMs();
  const isOver = () => clock.monotonicMs() - startedMs >= span.budgetMs;
  const batchBytes = Math.min(BATCH_BYTES, columns?.shelf.holdBytes ?? BATCH_BYTES);
  let batch: ColumnsSegment[] = [];
  let bytes = 0;
  let countedUntil: string | undefined;
  const countBatch = async () => {
    if (batch.length === 0) return;
    await countColumnsOf(plan, batch, tally);
    countedUntil = batch.at(-1)?.endsAt;
    batch = [];
    bytes = 0;
  };
  for (const segment of segmentsWithin(plan)) {
    signal?.throwIfAborted();
    if (segment.kind === 'columns' && bytes + segment.sizeBytes <= batchBytes) {
      if (!mayHold(segment, filter.bounds)) continue;
      batch.push(segment);
      bytes += segment.sizeBytes;
      continue;
    }
    await countBatch();
    if (isOver()) return tally.result(countedUntil);
    if (segment.kind === 'columns') {
      batch = [segment];
      bytes = segment.sizeBytes;
      continue;
    }
    const stoppedAt = await withFile(plan, segment, (file) => countLines(plan, { file, ...segment }, tally, isOver));
    if (stoppedAt !== undefined) return tally.result(stoppedAt);
    countedUntil = segment.startsAt;
  }
  await countBatch();
  return tally.result();
}

async function countColumnsOf(plan: CountPlan, batch: readonly ColumnsSegment[], tally: Tally): Promise<void> {
  const { columns, place, names, filter, span, signal } = plan;
  if (!columns) throw new Error('the log has segments of columns, and there is no engine to read them');
  const held = await columns.shelf.hold(place, batch, signal);
  try {
    const { fromMs, untilMs, buckets } = span;
    const where = filter.where ? { where: filter.where } : {};
    const request = { files: held.paths, names, span: { fromMs, untilMs, buckets }, ...where };
    const { counts } = await columns.engine.count(request, signal);
    for (const { bucket, severity, entries } of counts) tally.add(bucket, severity, entries);
  } finally {
    held.release();
  }
}

/** Answers the time that it stopped at because the budget was used up. */
async function countLines(
  { names, filter, span, signal }: CountPlan,
  { file, startsAt, sizeBytes }: { readonly file: ReadableFile; readonly startsAt: string; readonly sizeBytes: number },
  tally: Tally,
  isOver: () => boolean,
): Promise<string | undefined> {
  const start = timestampMs(startsAt) >= span.fromMs ? 0 : await findStartAfter(file, sizeBytes, before(span.fromMs));
  let lines = 0;
  let stoppedAt: string | undefined;
  await scanForward(file, { start, end: sizeBytes }, (line) => {
    signal?.throwIfAborted();
    const head = filter.isAll ? readLineHead(line) : readFitting(line);
    if (!head) return true;
    const timeMs = timestampMs(head.timestamp);
    if (timeMs >= span.untilMs) return false;
    if (timeMs >= span.fromMs) tally.add(tally.bucketOf(timeMs), head.severity, 1);
    if (++lines % LINES_AT_ONCE === 0 && isOver()) stoppedAt = head.timestamp;
    return stoppedAt === undefined;
  });
  return stoppedAt;

  function readFitting(line: Buffer) {
    const fields = filter.mayFit(line) ? decodeLine(line) : undefined;
    return fields && filter.fits(toStoredEntry(fields, names.scopeTag)) ? fields : undefined;
  }
}

/** The last timestamp before a millisecond. */
function before(ms: number): string {
  return formatTimestamp(Math.max(ms - 1, 0), 999_999);
}

interface Tally {
  bucketOf(timeMs: number): number;
  add(bucket: number, severity: Severity, entries: number): void;
  result(countedUntil?: string): LogCounts;
}

function createTally({ fromMs, untilMs, buckets }: CountPlan['span']): Tally {
  const counts: Partial<Record<Severity, number>>[] = Array.from({ length: buckets }, () => ({}));
  const stepMs = (untilMs - fromMs) / buckets;
  return {
    bucketOf: (timeMs) => Math.min(buckets - 1, Math.floor((timeMs - fromMs) / stepMs)),
    add(bucket, severity, entries) {
      const of = counts[bucket];
      if (of) of[severity] = (of[severity] ?? 0) + entries;
    },
    result: (countedUntil) => ({ buckets: counts, ...(countedUntil === undefined ? {} : { countedUntil }) }),
  };
}
