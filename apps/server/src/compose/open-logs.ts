import { parseMemory } from '@berth/contract';
import { type Billing, createLogRetention, createSegmentCatalogue } from '@berth/control';
import type { Database } from '@berth/database';
import { createFileLogStore, createLogEngine, type FileLogStore } from '@berth/logstore';
import { createFsObjectStore } from '@berth/object-store/fs';
import type { Kysely } from 'kysely';
import type { PartOptions } from '../context/part-options.ts';
import { LOG_KEYS, openBucket } from '../storage/open-bucket.ts';

/** Options of {@link openLogs}. */
export interface OpenLogsOptions {
  readonly db: Kysely<Database>;
  /** Holds lines, and segments unless those are in a bucket. */
  readonly folder: string;
  readonly entitlements: Billing['entitlements'];
}

const DAY_MS = 86_400_000;

/** Opens the log store. With a bucket configured, new segments go there and those on disk are moved. */
export async function openLogs(
  options: PartOptions,
  { db, folder, entitlements }: OpenLogsOptions,
): Promise<FileLogStore> {
  const { config, clock, logger, shutdown } = options;
  const { s3LogBucket: bucket, logCache, logRetentionDays: defaultDays } = config;
  const local = createFsObjectStore({ folder, clock });
  const remote = bucket === undefined ? undefined : await openBucket(config, { bucket, keyPrefix: LOG_KEYS });
  const logs = createFileLogStore({
    folder,
    clock,
    logger,
    limits: { maxAgeMs: defaultDays * DAY_MS },
    maxAgeMsOf: createLogRetention({ db, entitlements, defaultDays }),
    parquet: {
      engine: createLogEngine({ clock, logger }),
      catalogue: createSegmentCatalogue(db),
      store: remote ?? local,
      formerStores: remote ? [local] : [],
      cacheBytes: parseMemory(logCache) ?? 0,
    },
  });
  shutdown.push('logs', async () => {
    await logs.close();
    await Promise.all([local.close(), remote?.close()]);
  });
  return logs;
}
