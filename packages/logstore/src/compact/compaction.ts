import type { Clock, Limiter, Logger } from '@berth/kit';
import type { SegmentWriter } from '../append/segment-writer.ts';
import type { FileLogLimits } from '../limits/file-log-limits.ts';
import type { ColumnsSegment, LogPlace } from '../ports/segment.ts';
import type { Columns } from '../segments/open-columns.ts';
import { reconcile } from '../segments/reconcile.ts';
import { planRoll, type RollJob } from './plan-compaction.ts';

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
  /** Removes the oldest segments while the log is over its maximum size or age. @throws the system's error, or the catalogue's. */
  trim(maxAgeMs: number): Promise<void>;
}

export interface CompactionOptions {
  /** Without it segments stay lines, and {@link Compaction.next} has nothing to do. */
  readonly columns: Columns | undefined;
  readonly writer: SegmentWriter;
  /** Runs the writes and removals of the log one after another; shared with its `DeploymentLog`. */
  readonly queue: Limiter;
  readonly limits: Pick<FileLogLimits, 'segmentBytes' | 'maxBytes'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly logger: Logger;
}

export function createCompaction(options: CompactionOptions): Compaction {
  const { columns, writer, queue, clock } = options;
  const compactNext = columns && createSteps({ ...options, columns });
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

function createSteps({ columns, writer, queue, limits, logger }: CompactionOptions & { readonly columns: Columns }) {
  const { engine, shelf } = columns;
  const { place } = writer;
  /** Stores that are still to be compared with the catalogue; those on this machine are when the log is opened. */
  const uncompared = shelf.stores.filter((store) => !store.isLocal).map((store) => store.name);

  async function removeGarbage(): Promise<void> {
    for (const segment of writer.takeGarbage()) await shelf.remove(place, segment);
  }

  async function compareStore(store: string): Promise<void> {
    // In this order: what trim takes out meanwhile is either known or gone, and so not found again.
    const known = writer.segments.filter((segment) => segment.kind === 'columns');
    await removeGarbage();
    const change = await reconcile(known, { place, store, shelf, engine, logger });
    await queue.run(() => writer.apply(change));
    await removeGarbage();
  }

  /** Durable, and in no catalogue yet; undefined when the sources hold no entry. */
  async function make(job: RollJob): Promise<ColumnsSegment | undefined> {
    if (job.from === 'lines') return write('lines', [job.sources[0].path]);
    const held = await shelf.hold(place, job.sources);
    try {
      return await write('columns', held.paths);
    } finally {
      held.release();
    }
  }

  async function write(from: 'lines' | 'columns', sources: readonly string[]): Promise<ColumnsSegment | undefined> {
    const target = await shelf.scratch();
    const summary = await engine.write({ from, sources, target });
    return summary && shelf.put(place, target, summary);
  }

  return async (maxAgeMs: number): Promise<boolean> => {
    await queue.run(() => writer.load());
    await removeGarbage();
    const store = uncompared[0];
    if (store !== undefined) {
      await compareStore(store);
      uncompared.shift();
    }
    const job = planRoll(writer.segments, { ...limits, maxAgeMs }, shelf.storeName);
    if (!job) return false;
    const made = await make(job);
    if (!made) throw new Error('a full log segment holds no entry');
    if (!(await queue.run(() => writer.replace(job.sources, made)))) await shelf.remove(place, made);
    await removeGarbage();
    return true;
  };
}
