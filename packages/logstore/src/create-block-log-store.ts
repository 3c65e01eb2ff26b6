import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { type Clock, describeError, type Logger, runInBackground, type Timer } from '@berth/kit';
import { assembleLogStore } from './assemble-log-store.ts';
import { createBlockCompaction } from './blocks/create-block-compaction.ts';
import { createBlockLines } from './blocks/create-block-lines.ts';
import { type BlockLog, createBlockLog } from './blocks/create-block-log.ts';
import { createMaintenance } from './compact/maintenance.ts';
import { BLOCK_LOG_DEFAULTS, type BlockLogLimits } from './limits/block-log-limits.ts';
import type { BlockTable, LogNotices } from './ports/block-table.ts';
import type { FileLogStore } from './ports/log-store.ts';
import type { LogPlace } from './ports/segment.ts';
import { openParquet, type ParquetOptions } from './segments/open-parquet.ts';

export interface BlockLogStoreOptions {
  readonly table: BlockTable;
  /** Wakes the tails of other servers. */
  readonly notices: LogNotices;
  /** Folder on this machine for files that are created again at every start. */
  readonly workFolder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Overrides of {@link BLOCK_LOG_DEFAULTS}. */
  readonly limits?: Partial<BlockLogLimits>;
  /** The store must be one that all servers reach. */
  readonly parquet: Omit<ParquetOptions, 'catalogue'>;
  /** How long an account's entries are kept, in milliseconds; `limits.maxAgeMs` when absent. */
  maxAgeMsOf?(account: string): Promise<number>;
}

/** Channel of notices; the payload is `<writer>/<account>/<deployment>`. */
const CHANNEL = 'log-entries';

/**
 * Creates a {@link LogStore} for several servers: entries are appended in blocks to a log database, and compacted to
 * Parquet objects. Every server reads and appends to every log; nothing that counts is on this machine.
 */
export function createBlockLogStore(options: BlockLogStoreOptions): FileLogStore {
  const { table, notices, clock, logger, maxAgeMsOf } = options;
  const given = { ...BLOCK_LOG_DEFAULTS, ...options.limits };
  // Retention removes whole segments: with few segments, a log would lose much of itself at once.
  const limits = { ...given, segmentBytes: Math.min(given.segmentBytes, Math.ceil(given.maxBytes / 8)) };
  // Of this process: what a predecessor left half-done is never mistaken for its own.
  const id = randomUUID();
  const lines = createBlockLines(table, limits.cacheBytes);
  const { toFile } = lines;
  const parquet = openParquet(options.parquet, { folder: resolve(options.workFolder), toFile, clock, logger });
  const nameOf = ({ account, deployment }: LogPlace) => `${account}/${deployment}`;

  const maintenance = createMaintenance({
    clock,
    logger,
    limits,
    oldest: () => table.oldest(),
    logAt: (place) => store.openAt(place).compaction,
    ...(maxAgeMsOf ? { maxAgeMsOf } : {}),
  });
  const store = assembleLogStore<BlockLog>({
    clock,
    logger,
    limits,
    parquet,
    maintenance,
    // Some of the database's ten connections are left to readers.
    commitsAtOnce: 6,
    medium: 'the log database',
    // Blocks that are missing from the table became Parquet, and are never damage.
    files: { size: async () => 0 },
    openLines: (place, segment) => lines.open(place, segment),
    deploymentsOf: (account) => table.deployments(account),
    openLog(place, gauge) {
      const parts = { place, table, limits, clock, logger: logger.child({ log: nameOf(place) }) };
      const compaction = createBlockCompaction({ ...parts, holder: id, parquet, toFile });
      const log = createBlockLog({
        ...parts,
        ...{ writer: id, lines, gauge, storage: parquet.storage },
        onAppended({ openBytes, openBlocks }) {
          runInBackground('log notice', tell(place), logger);
          if (openBytes > limits.segmentBytes || openBlocks >= limits.openBlocks) maintenance.add(compaction);
        },
      });
      return { log, compaction };
    },
    async onClosed() {
      unsubscribe();
      await Promise.all(stops.map((stop) => stop()));
    },
  });

  async function tell(place: LogPlace): Promise<void> {
    await notices.publish(CHANNEL, `${id}/${nameOf(place)}`).catch((error: unknown) => {
      logger.debug({ error: describeError(error) }, 'other servers were not told of log entries');
    });
  }

  const wakeAll = () => {
    for (const { log } of store.logs.values()) log.wake();
  };
  const unsubscribe = notices.subscribe(CHANNEL, (payload) => {
    if (payload === undefined) return wakeAll();
    const [writer, ...place] = payload.split('/');
    // This server's own tails were woken by the append.
    if (writer !== id) store.logs.get(place.join('/'))?.log.wake();
  });

  async function findDue(): Promise<void> {
    const due = await table.due({ ...limits, openBytes: limits.segmentBytes });
    for (const place of due) maintenance.add(store.openAt(place).compaction);
    await table.reclaim();
  }

  /** Repeats `work` until the returned function is called, which waits for its end. */
  function repeat(intervalMs: number, work: () => Promise<void>): () => Promise<void> {
    let isStopped = false;
    let running = Promise.resolve();
    let timer: Timer;
    const run = async () => {
      await work().catch((error: unknown) => {
        logger.warn({ error: describeError(error) }, 'logs to compact could not be found');
      });
      if (!isStopped) plan();
    };
    const plan = () => {
      timer = clock.setTimer(intervalMs, () => {
        running = run();
      });
    };
    plan();
    return () => {
      isStopped = true;
      timer.cancel();
      return running;
    };
  }

  const stops = [repeat(limits.pollMs, async () => wakeAll()), repeat(limits.dueMs, findDue)];
  return store;
}
