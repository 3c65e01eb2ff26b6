import type { Severity } from '@berth/contract';
import type { Clock } from '@berth/kit';
import { formatTimestamp, timestampMs } from '../entry/timestamp.ts';
import { scanForward } from '../lines/line-scan.ts';
import { readLineHead } from '../lines/record-line.ts';
import { findStartAfter } from '../lines/segment-search.ts';
import type { CountOptions, LogCounts } from '../ports/log-store.ts';
import type { LineSegment, ParquetSegment } from '../ports/segment.ts';
import { createLineReader, type ReadSource, withParquetFiles } from './read-source.ts';
import { mayHold, segmentsWithin } from './segments-within.ts';

export interface CountPlan extends ReadSource {
  readonly span: Pick<CountOptions, 'fromMs' | 'untilMs' | 'buckets' | 'budgetMs'>;
  readonly clock: Clock;
}

/** Bytes of Parquet counted per request: some 100 ms without a filter, so that the time budget is kept. */
const BATCH_BYTES = 32 * 2 ** 20;
/** Lines between two checks of the clock. */
const LINES_AT_ONCE = 2_000;

/**
 * Counts the entries of a span: Parquet in the engine; lines by their beginning alone when there is no filter. @throws
 * as `readNewest`.
 */
export async function countEntries(plan: CountPlan): Promise<LogCounts> {
  const { span, clock, parquet, filter, signal } = plan;
  const tally = createTally(span);
  const startedMs = clock.monotonicMs();
  const isOver = () => clock.monotonicMs() - startedMs >= span.budgetMs;
  const batchBytes = Math.min(BATCH_BYTES, parquet?.storage.holdBytes ?? BATCH_BYTES);
  let batch: ParquetSegment[] = [];
  let bytes = 0;
  const countBatch = async () => {
    if (batch.length === 0) return;
    await countParquet(plan, batch, tally);
    batch = [];
    bytes = 0;
  };
  for (const segment of segmentsWithin(plan)) {
    signal?.throwIfAborted();
    if (segment.kind === 'parquet' && bytes + segment.sizeBytes <= batchBytes) {
      if (!mayHold(segment, filter.bounds)) continue;
      batch.push(segment);
      bytes += segment.sizeBytes;
      continue;
    }
    await countBatch();
    // Everything before this segment is counted, and nothing in it.
    if (isOver()) return tally.result(justBefore(segment.startsAt));
    if (segment.kind === 'parquet') {
      batch = [segment];
      bytes = segment.sizeBytes;
      continue;
    }
    const stoppedAt = await countLines(plan, segment, tally, isOver);
    if (stoppedAt !== undefined) return tally.result(stoppedAt);
  }
  await countBatch();
  return tally.result();
}

function countParquet(plan: CountPlan, batch: readonly ParquetSegment[], tally: Tally): Promise<void> {
  const { names, filter, span, signal } = plan;
  return withParquetFiles(plan, batch, async (engine, files) => {
    const counts = await engine.count({ files, names, span, where: filter.where, tokens: filter.tokens }, signal);
    for (const { bucket, severity, entries } of counts) tally.add(bucket, severity, entries);
  });
}

/** Returns the timestamp where it stopped because the time budget was used up. */
async function countLines(
  plan: CountPlan,
  segment: LineSegment,
  tally: Tally,
  isOver: () => boolean,
): Promise<string | undefined> {
  const { filter, span } = plan;
  const { startsAt, sizeBytes } = segment;
  await using file = await plan.openLines(segment);
  const read = filter.isAll ? readLineHead : createLineReader(plan);
  const start = timestampMs(startsAt) >= span.fromMs ? 0 : await findStartAfter(file, sizeBytes, before(span.fromMs));
  let lines = 0;
  let stoppedAt: string | undefined;
  await scanForward(file, { start, end: sizeBytes }, (line) => {
    plan.signal?.throwIfAborted();
    const head = read(line);
    if (!head) return true;
    const timeMs = timestampMs(head.timestamp);
    if (timeMs >= span.untilMs) return false;
    if (timeMs >= span.fromMs) tally.add(tally.bucketOf(timeMs), head.severity, 1);
    if (++lines % LINES_AT_ONCE === 0 && isOver()) stoppedAt = head.timestamp;
    return stoppedAt === undefined;
  });
  return stoppedAt;
}

/** Returns the last timestamp before a millisecond. */
function before(ms: number): string {
  return formatTimestamp(Math.max(ms - 1, 0), 999_999);
}

/** Returns the last timestamp before another. */
function justBefore(timestamp: string): string {
  const nanos = Number(timestamp.slice(23, 29));
  return nanos > 0 ? formatTimestamp(timestampMs(timestamp), nanos - 1) : before(timestampMs(timestamp));
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
