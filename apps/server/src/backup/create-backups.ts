import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { writeSealedArchive } from '@berth/builder/sealed-archive';
import { createError } from '@berth/contract';
import { openDump } from '@berth/database';
import { type Clock, describeError, type Logger, runInBackground } from '@berth/kit';
import type { PlatformFolders } from '../data-folder/platform-folders.ts';
import { type BackupParts, fillBackup } from './fill-backup.ts';

/** Options of {@link createBackups}. */
export interface BackupsOptions
  extends Pick<BackupParts, 'workRoot' | 'version' | 'hasVolumes' | 'hasMasterKey' | 'buckets'> {
  readonly folders: Pick<PlatformFolders, 'data' | 'database'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** URL of the Postgres database; undefined when the database is in the data folder. */
  readonly databaseUrl: string | undefined;
}

/** Creates backups of the running platform. */
export function createBackups({ folders, clock, logger, databaseUrl, ...parts }: BackupsOptions) {
  const copy = path.join(folders.data, 'backup.db');
  let isRunning = false;

  const openCopy = async () => {
    // A crash may have left one.
    await rm(copy, { force: true });
    await copyDatabase(folders.database, copy);
    return copy;
  };
  return {
    /**
     * Returns a sealed archive of the platform's data. A snapshot of the database comes first and the files it names after it, so every
     * named file is included. A file that is being written is copied up to its size when it was opened.
     * @throws BerthError `conflict` while another backup is running; `unavailable` when Postgres can't be reached
     */
    async create(): Promise<Readable> {
      if (isRunning) throw createError('conflict', 'Another backup is running. Wait for it to finish.');
      isRunning = true;
      const opened = new AsyncDisposableStack();
      opened.defer(async () => {
        await rm(copy, { force: true });
        isRunning = false;
      });
      const end = () => opened.disposeAsync();
      const nowMs = clock.nowMs();
      const database = await (databaseUrl === undefined ? openCopy() : openDump(databaseUrl)).catch(async (error) => {
        await end();
        throw error;
      });
      if (typeof database !== 'string') opened.use(database);
      const { stream, done } = writeSealedArchive((add) =>
        fillBackup(add, { ...parts, database, dataFolder: folders.data, nowMs }),
      );
      const ended = done.catch((error) => logger.warn({ error: describeError(error) }, 'backup aborted')).then(end);
      runInBackground('backup', ended, logger);
      return stream;
    },
  };
}

/**
 * Copies a database that is in use: the copy is a compact snapshot of one moment. It runs in a worker thread and blocks neither this
 * thread nor other connections.
 * @param to must not exist
 */
export async function copyDatabase(from: string, to: string): Promise<void> {
  const worker = new Worker(new URL('./copy-database-worker.ts', import.meta.url), { workerData: { from, to } });
  const [code] = (await once(worker, 'exit')) as [number];
  if (code !== 0) throw new Error(`the copy of the database ended with code ${code}`);
  await chmod(to, 0o600);
}
