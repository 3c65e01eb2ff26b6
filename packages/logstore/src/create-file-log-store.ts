import { join, resolve } from 'node:path';
import { type Clock, createLimiter, type Logger } from '@berth/kit';
import { createDeploymentLog } from './append/deployment-log.ts';
import { createSegmentWriter } from './append/segment-writer.ts';
import { assembleLogStore } from './assemble-log-store.ts';
import { createCompaction } from './compact/compaction.ts';
import { createOldestFinder } from './compact/create-oldest-finder.ts';
import { createMaintenance } from './compact/maintenance.ts';
import { FILE_LOG_DEFAULTS, type FileLogLimits } from './limits/file-log-limits.ts';
import { createNodeLogFiles, type LogFiles } from './lines/log-files.ts';
import type { FileLogStore } from './ports/log-store.ts';
import { fileOfLines } from './segments/lines-to-file.ts';
import { openParquet, type ParquetOptions } from './segments/open-parquet.ts';

export interface FileLogStoreOptions {
  /** Folder of the line segments; created with the first entry. No other process may write to it. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Overrides of {@link FILE_LOG_DEFAULTS}. */
  readonly limits?: Partial<FileLogLimits>;
  /** Turns full segments into Parquet and reads those. Without it, segments stay lines. */
  readonly parquet?: ParquetOptions;
  /** How long an account's entries are kept, in milliseconds; `limits.maxAgeMs` when absent. */
  maxAgeMsOf?(account: string): Promise<number>;
  /** File operations: those of this machine by default. Tests inject failures here. */
  readonly files?: LogFiles;
}

/**
 * Creates a {@link LogStore} on plain files: one folder per deployment with segments of checksummed JSON lines, which
 * are read in place. Memory: unwritten entries, and a few hundred bytes per segment of each deployment used so far.
 */
export function createFileLogStore(options: FileLogStoreOptions): FileLogStore {
  const { clock, logger, files = createNodeLogFiles(), maxAgeMsOf } = options;
  const root = resolve(options.folder);
  const given = { ...FILE_LOG_DEFAULTS, ...options.limits };
  // Retention removes whole segments: with few segments, a log would lose much of itself at once.
  const limits = { ...given, segmentBytes: Math.min(given.segmentBytes, Math.ceil(given.maxBytes / 8)) };
  const parquet = options.parquet && {
    ...openParquet(options.parquet, { folder: `${root}-work`, toFile: fileOfLines, clock, logger }),
    catalogue: options.parquet.catalogue,
  };
  const maintenance = createMaintenance({
    clock,
    logger,
    limits,
    oldest: createOldestFinder({ root, files, catalogue: parquet?.catalogue }),
    logAt: (place) => store.openAt(place).compaction,
    ...(maxAgeMsOf ? { maxAgeMsOf } : {}),
  });
  const store = assembleLogStore({
    clock,
    logger,
    limits,
    files,
    parquet,
    maintenance,
    // More would occupy all four of Node's file threads.
    commitsAtOnce: 2,
    medium: 'the disk',
    openLines: (_, { path }) => files.openForReading(path),
    openLog(place, gauge) {
      const folder = join(place.account, place.deployment);
      const queue = createLimiter({ concurrency: 1 });
      const parts = { files, limits, parquet, queue, clock, logger: logger.child({ log: folder }) };
      const writer = createSegmentWriter({ ...parts, place, folder: join(root, folder) });
      const compaction = createCompaction({ ...parts, writer });
      const log = createDeploymentLog({ ...parts, writer, gauge, onFull: () => maintenance.add(compaction) });
      if (parquet) maintenance.add(compaction);
      return { log, compaction };
    },
    deploymentsOf: async (account) => [
      ...((await parquet?.catalogue.deployments(account)) ?? []),
      ...(await files.list(join(root, account))),
    ],
  });
  return store;
}
