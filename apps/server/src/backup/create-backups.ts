import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { writeSealedArchive } from '@berth/builder/sealed-archive';
import { createError } from '@berth/contract';
import { type Clock, describeError, type Logger, runInBackground } from '@berth/kit';
import type { PlatformFolders } from '../data-folder/platform-folders.ts';
import { type BackupParts, fillBackup } from './fill-backup.ts';

/** Options of {@link createBackups}. */
export interface BackupsOptions extends Pick<BackupParts, 'workRoot' | 'version' | 'hasVolumes'> {
  readonly folders: Pick<PlatformFolders, 'data' | 'database'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** False when the database is not in the data folder. */
  readonly hasDatabase: boolean;
}

const ON_POSTGRES =
  'Backups of a platform on Postgres are not available yet. Dump the database with pg_dump and copy the data folder: docs/guides/backups.md.';

/** Creates backups of the running platform. */
export function createBackups({ folders, clock, logger, hasDatabase, ...parts }: BackupsOptions) {
  const database = path.join(folders.data, 'backup.db');
  let isRunning = false;

  const end = async () => {
    await rm(database, { force: true });
    isRunning = false;
  };
  return {
    /**
     * Returns a sealed archive of the platform's data. A snapshot of the database comes first and the files it names after it, so every
     * named file is included. A file that is being written is copied up to its size when it was opened.
     * @throws BerthError `conflict` while another backup is running; `not_available` when the database is not in the data folder
     */
    async create(): Promise<Readable> {
      if (!hasDatabase) throw createError('not_available', ON_POSTGRES);
      if (isRunning) throw createError('conflict', 'Another backup is running. Wait for it to finish.');
      isRunning = true;
      try {
        // A crash may have left one.
        await rm(database, { force: true });
        await copyDatabase(folders.database, database);
      } catch (error) {
        await end();
        throw error;
      }
      const { stream, done } = writeSealedArchive((add) =>
        fillBackup(add, { ...parts, database, dataFolder: folders.data, nowMs: clock.nowMs() }),
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
