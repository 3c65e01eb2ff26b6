import type { Clock, Limiter, Logger } from '@berth/kit';
import type { SegmentWriter } from '../append/segment-writer.ts';
import type { FileLogLimits } from '../limits/file-log-limits.ts';
import type { LogPlace } from '../ports/segment.ts';
import { fileOfLines } from '../segments/lines-to-file.ts';
import type { ParquetStore } from '../segments/open-parquet.ts';
import { reconcile } from '../segments/reconcile.ts';
import { planCompaction } from './plan-compaction.ts';
import { writeSegment } from './write-segment.ts';

/** Compaction and retention of one log, beside what is appended and read. */
export interface Compaction {
  readonly place: LogPlace;
  /**
   * Turns the oldest full line segment into Parquet, or merges small Parquet segments, or moves one from a former store. Calls
   * must not overlap.
   * @returns false when nothing is left to do.
   * @throws when that failed; the log is unchanged.
   */
  next(maxAgeMs: number): Promise<boolean>;
  /** Removes the oldest segments while the log is over its maximum size or age. @throws the system's error, or the catalog's. */
  trim(maxAgeMs: number): Promise<void>;
}

export interface CompactionOptions {
  /** Without it segments stay lines, and {@link Compaction.next} has nothing to do. */
  readonly parquet: ParquetStore | undefined;
  readonly writer: SegmentWriter;
  /** Runs the writes and removals of the log one after another; shared with its `DeploymentLog`. */
  readonly queue: Limiter;
  readonly limits: Pick<FileLogLimits, 'segmentBytes' | 'maxBytes'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly logger: Logger;
}

export function createCompaction(options: CompactionOptions): Compaction {
  const { parquet, writer, queue, clock } = options;
  const compactNext = parquet && createSteps({ ...options, parquet });
  return {
    place: writer.place,
    next: async (maxAgeMs) => (compactNext ? compactNext(maxAgeMs) : false),
    trim: (maxAgeMs) =>
      queue.run(async () => {
        await writer.load();
        await writer.trim(clock.nowMs(), maxAgeMs);
      }),
  };
}

function createSteps({
  parquet,
  writer,
  queue,
  limits,
  logger,
}: CompactionOptions & { readonly parquet: ParquetStore }) {
  const { engine, storage } = parquet;
  const { place } = writer;
  /** Stores not yet compared with the catalog. Stores on this machine are compared when the log is opened. */
  const uncompared = storage.stores.filter((store) => !store.isLocal).map((store) => store.name);

  async function removeGarbage(): Promise<void> {
    for (const segment of writer.takeGarbage()) await storage.remove(place, segment);
  }

  async function compareStore(store: string): Promise<void> {
    // Garbage first: a segment that `trim` removes from here on is either known or already gone, so it is not found
    // again.
    const known = writer.segments.filter((segment) => segment.kind === 'parquet');
    await removeGarbage();
    const change = await reconcile(known, { place, store, storage, engine, logger });
    await queue.run(() => writer.apply(change));
    await removeGarbage();
  }

  return async (maxAgeMs: number): Promise<boolean> => {
    await queue.run(() => writer.load());
    await removeGarbage();
    const store = uncompared[0];
    if (store !== undefined) {
      await compareStore(store);
      uncompared.shift();
    }
    const job = planCompaction(writer.segments, { ...limits, maxAgeMs }, storage.storeName);
    if (!job) return false;
    const { file, summary } = await writeSegment(parquet, place, job, fileOfLines);
    const made = await storage.put(place, file, summary);
    if (!(await queue.run(() => writer.replace(job.sources, made)))) await storage.remove(place, made);
    await removeGarbage();
    return true;
  };
}
