import path from 'node:path';
import { parseMemory } from '@berth/contract';
import { type Billing, createBlockTable, createLogRetention, createSegmentCatalogue } from '@berth/control';
import { type Database, openLogDatabase } from '@berth/database';
import {
  createBlockLogStore,
  createFileLogStore,
  createLogEngine,
  type FileLogStore,
  type FileLogStoreOptions,
  type ParquetOptions,
} from '@berth/logstore';
import type { ObjectStore } from '@berth/object-store';
import { createFsObjectStore } from '@berth/object-store/fs';
import type { Kysely } from 'kysely';
import type { PartOptions } from '../context/part-options.ts';
import { LOG_KEYS, openBucket } from '../storage/open-bucket.ts';

/** Options of {@link openLogs}. */
export interface OpenLogsOptions {
  readonly db: Kysely<Database>;
  /** Holds lines, and segments unless those are in a bucket. Servers that share their logs keep only caches beside it. */
  readonly folder: string;
  readonly entitlements: Billing['entitlements'];
}

const DAY_MS = 86_400_000;

/** Opens the log store: on files, or for several servers on a log database and objects that all of them reach. */
export async function openLogs(options: PartOptions, parts: OpenLogsOptions): Promise<FileLogStore> {
  const { config, clock, logger } = options;
  const { logCache, logRetentionDays: defaultDays } = config;
  const common = {
    clock,
    logger,
    limits: { maxAgeMs: defaultDays * DAY_MS },
    maxAgeMsOf: createLogRetention({ ...parts, defaultDays }),
    parquet: { engine: createLogEngine({ clock, logger }), cacheBytes: parseMemory(logCache) ?? 0 },
  };
  return config.isShared ? openSharedLogs(options, parts, common) : openLocalLogs(options, parts, common);
}

type CommonOptions = Pick<FileLogStoreOptions, 'clock' | 'logger' | 'limits'> &
  Partial<Pick<FileLogStoreOptions, 'maxAgeMsOf'>> & {
    readonly parquet: Pick<ParquetOptions, 'engine' | 'cacheBytes'>;
  };

/** With a bucket configured, new segments go there and those on disk are moved. */
async function openLocalLogs(
  { config, clock, shutdown }: PartOptions,
  { db, folder }: OpenLogsOptions,
  { parquet, ...common }: CommonOptions,
): Promise<FileLogStore> {
  const { s3LogBucket: bucket } = config;
  const local = createFsObjectStore({ folder, clock });
  const remote = bucket === undefined ? undefined : await openBucket(config, { bucket, keyPrefix: LOG_KEYS });
  const stores = { store: remote ?? local, formerStores: remote ? [local] : [] };
  const catalogue = createSegmentCatalogue(db);
  const logs = createFileLogStore({ ...common, folder, parquet: { ...parquet, ...stores, catalogue } });
  shutdown.push('logs', async () => {
    await logs.close();
    await Promise.all([local.close(), remote?.close()]);
  });
  return logs;
}

/** Opens the log store as a collector writes to it. Only a server knows how long logs are kept: the collector deletes nothing. */
export function openCollectedLogs(options: PartOptions, folder: string): Promise<FileLogStore> {
  const { config, clock, logger } = options;
  return openSharedLogs(
    options,
    { folder },
    {
      ...{ clock, logger, limits: { maxAgeMs: Number.POSITIVE_INFINITY } },
      parquet: { engine: createLogEngine({ clock, logger }), cacheBytes: parseMemory(config.logCache) ?? 0 },
    },
  );
}

async function openSharedLogs(
  options: PartOptions,
  { folder }: Pick<OpenLogsOptions, 'folder'>,
  { parquet, ...common }: CommonOptions,
): Promise<FileLogStore> {
  const { config, logger, shutdown } = options;
  const { databaseUrl = '', logDatabaseUrl: url = databaseUrl } = config;
  const { db, notices, close } = await openLogDatabase({ url, logger });
  shutdown.push('log database', close);
  const store = await openSharedSegments(options);
  const table = createBlockTable(db);
  const logs = createBlockLogStore({
    ...common,
    ...{ table, notices, workFolder: `${folder}-work`, parquet: { ...parquet, store } },
  });
  shutdown.push('logs', async () => {
    await logs.close();
    await store.close();
  });
  return logs;
}

/** Opens the store of segments that all servers reach: the bucket of logs, else that of volumes, else the shared folder. */
async function openSharedSegments({ config, clock }: PartOptions): Promise<ObjectStore> {
  const bucket = config.s3LogBucket ?? config.s3Bucket;
  if (bucket !== undefined) return openBucket(config, { bucket, keyPrefix: LOG_KEYS });
  return createFsObjectStore({ folder: path.join(config.sharedFolder ?? '', 'objects', 'logs'), clock });
}
