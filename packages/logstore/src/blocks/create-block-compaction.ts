import { type Clock, createLimiter, type Logger } from '@berth/kit';
import type { Compaction } from '../compact/compaction.ts';
import { type CompactionJob, planCompaction } from '../compact/plan-compaction.ts';
import { writeSegment } from '../compact/write-segment.ts';
import { timestampMs } from '../entry/timestamp.ts';
import type { BlockLogLimits } from '../limits/block-log-limits.ts';
import type { BlockTable, LogChange, LogLease } from '../ports/block-table.ts';
import type { LineSegment, LogPlace, Segment } from '../ports/segment.ts';
import { countSurplus } from '../segments/count-surplus.ts';
import type { LinesToFile } from '../segments/lines-to-file.ts';
import type { ParquetFiles } from '../segments/open-parquet.ts';
import { parquetSegmentName } from '../segments/segment-name.ts';
import { segmentsOfBlocks } from './create-block-lines.ts';

export interface BlockCompactionOptions {
  readonly place: LogPlace;
  /** Identifies this server's leases; different after every start. */
  readonly holder: string;
  readonly table: BlockTable;
  readonly parquet: ParquetFiles;
  readonly toFile: LinesToFile;
  readonly limits: BlockLogLimits;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly logger: Logger;
}

/**
 * Creates the compaction and retention of a log's blocks and segments, by the server that has the log's lease.
 *
 * A segment is made in this order: its object is announced as garbage, then put; then one transaction adds its row,
 * takes it from the garbage, and removes the blocks or segments that it replaces, whose objects become garbage. A crash
 * between two steps leaves only garbage. The transaction checks the lease's epoch, and object keys contain it: a server
 * that was paused changes nothing, and its objects are never those of another.
 */
export function createBlockCompaction(options: BlockCompactionOptions): Compaction {
  const { place, holder, table, parquet, toFile, limits, clock, logger } = options;
  const { storage } = parquet;
  // The lease excludes other servers, and the queue this one: a segment must not bring back what was trimmed meanwhile.
  const queue = createLimiter({ concurrency: 1 });
  let lease: LogLease | undefined;

  async function take(): Promise<LogLease | undefined> {
    lease = await table.lease(place, holder, limits.leaseMs, lease?.epoch);
    return lease;
  }

  async function removeGarbage(own: LogLease): Promise<void> {
    const garbage = await table.garbage(place, limits.garbageMs);
    for (const object of garbage) await storage.remove(place, object);
    if (garbage.length > 0) await table.forget(place, own, garbage);
  }

  /** Returns the segments, with full groups of blocks as line segments. The last one may still grow. */
  async function list(): Promise<Segment[]> {
    const { segments, blocks } = await table.list(place);
    return [...segments, ...segmentsOfBlocks(place, blocks, limits.segmentBytes)];
  }

  async function trimTo(own: LogLease, maxAgeMs: number): Promise<void> {
    const segments = await list();
    const keptFromMs = clock.nowMs() - maxAgeMs;
    let count = countSurplus(segments, limits.maxBytes, keptFromMs);
    // The log's newest timestamp is in the database, so even the last segment can go.
    const last = segments.at(-1);
    if (last && count === segments.length - 1 && timestampMs(endOf(last)) <= keptFromMs) count++;
    if (count > 0) await table.change(place, own, withoutThese(segments.slice(0, count)));
  }

  async function make(own: LogLease, job: CompactionJob): Promise<boolean> {
    const { file, summary } = await writeSegment(parquet, place, job, toFile);
    const key = parquetSegmentName(summary.startsAt, summary.endsAt, own.epoch);
    if (!(await table.announce(place, own, { key, store: storage.storeName }))) return false;
    const add = await storage.put(place, file, summary, key);
    if (await table.change(place, own, { ...withoutThese(job.sources), add })) return true;
    logger.warn({ ...place }, 'another server compacts this log: the segment made here was dropped');
    await storage.remove(place, add);
    return false;
  }

  async function compactNext(maxAgeMs: number): Promise<boolean> {
    const own = await take();
    if (!own) return false;
    await trimTo(own, maxAgeMs);
    await removeGarbage(own);
    const segments = await list();
    const isDue = own.openBlocks >= limits.openBlocks || own.openMs >= limits.openMs;
    // What comes before this one counts as full.
    if (isDue || segments.at(-1)?.kind !== 'lines') segments.push(NEXT);
    const job = planCompaction(segments, { ...limits, maxAgeMs }, storage.storeName);
    if (job && (await make(own, job))) return true;
    await table.release(place, own);
    lease = undefined;
    return false;
  }

  return {
    place,
    next: (maxAgeMs) => queue.run(() => compactNext(maxAgeMs)),
    trim: (maxAgeMs) =>
      queue.run(async () => {
        const own = await take();
        if (own) await trimTo(own, maxAgeMs);
      }),
  };
}

/** The segment of entries that are yet to come. */
const NEXT: LineSegment = { kind: 'lines', path: '', startsAt: '', sizeBytes: 0 };

function endOf(segment: Segment): string {
  return segment.kind === 'parquet' ? segment.endsAt : (segment.summary?.endsAt ?? segment.startsAt);
}

/** Returns the change that takes the oldest segments, or some adjacent Parquet segments, from a log. */
function withoutThese(segments: readonly Segment[]): LogChange {
  const lines = segments.findLast((segment) => segment.kind === 'lines');
  return {
    remove: segments.filter((segment) => segment.kind === 'parquet'),
    ...(lines ? { sealedUntil: endOf(lines) } : {}),
  };
}
