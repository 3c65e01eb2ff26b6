import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { writeSealedArchive } from '@berth/builder/sealed-archive';
import { createError } from '@berth/contract';
import { type Clock, describeError, type Logger, runInBackground } from '@berth/kit';
import type { PlatformFolders } from '../data-folder/platform-folders.ts';
import { copyDatabase } from './copy-database.ts';
import { type BackupParts, fillBackup } from './fill-backup.ts';

export interface BackupsOptions extends Pick<BackupParts, 'workRoot' | 'version' | 'hasVolumes'> {
  readonly folders: Pick<PlatformFolders, 'data' | 'database'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Backups of the whole platform, while it runs. */
export interface Backups {
  /**
   * A sealed archive of all that is kept. The database comes first, as it is at one moment; what it names is copied after it, so
   * that it is there too. A file that is written meanwhile is copied as far as it goes.
   * @throws `conflict` while another one is made.
   */
  create(): Promise<Readable>;
}

export function createBackups({ folders, clock, logger, ...parts }: BackupsOptions): Backups {
  const database = path.join(folders.data, 'backup.db');
  let isRunning = false;

  const end = async () => {
    await rm(database, { force: true });
    isRunning = false;
  };
  return {
    async create() {
      if (isRunning) throw createError('conflict', 'Another backup is being made. Wait for its end.');
      isRunning = true;
      try {
        // One that a crash left.
        await rm(database, { force: true });
        await copyDatabase(folders.database, database);
      } catch (error) {
        await end();
        throw error;
      }
      const { stream, done } = writeSealedArchive((add) =>
        fillBackup(add, { ...parts, database, dataFolder: folders.data, nowMs: clock.nowMs() }),
      );
      const ended = done
        .catch((error) => logger.warn({ error: describeError(error) }, 'a backup was broken off'))
        .then(end);
      runInBackground('backup', ended, logger);
      return stream;
    },
  };
}
