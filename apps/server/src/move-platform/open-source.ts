import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { createError } from '@berth/contract';
import { type CopySource, type Database, openForReading, requireNewestSchema } from '@berth/database';
import type { Clock, Logger } from '@berth/kit';
import type { ObjectStore, VolumePlace } from '@berth/object-store';
import { createFsObjectStore } from '@berth/object-store/fs';
import type { Kysely } from 'kysely';
import { findOrigin } from '../data-folder/data-place.ts';
import { DATABASE_NAME, POSTGRES_NAME, workFolders } from '../data-folder/platform-folders.ts';

/** A platform on one machine. A server may be using it. */
export interface MoveSource extends AsyncDisposable {
  readonly dataFolder: string;
  readonly database: CopySource;
  readonly db: Kysely<Database>;
  /** True when the cluster goes on with the same Postgres database. */
  readonly isSameDatabase: boolean;
  readonly artifactFolder: string;
  readonly volumeFolder: string;
  readonly volumes: ObjectStore;
  readonly logFolder: string;
  readonly logs: ObjectStore;
  hasVolume(place: VolumePlace): boolean;
}

/** Options of {@link openSource}. */
export interface OpenSourceOptions {
  readonly dataFolder: string;
  /** URL of its Postgres database, when its database is in another one than that of the target. */
  readonly sourceUrl: string | undefined;
  readonly targetUrl: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** @throws BerthError `not_found` for a folder that no server has used */
export function requireDataFolder(folder: string): void {
  if ([DATABASE_NAME, POSTGRES_NAME].some((name) => existsSync(path.join(folder, name)))) return;
  throw createError('not_found', `${folder} is not a data folder: it has no ${DATABASE_NAME}. Pass it with --data.`);
}

/**
 * Opens the data folder of a server for reading.
 * @throws BerthError `unavailable` when its database isn't that of this version, or the folder was moved
 */
export async function openSource(options: OpenSourceOptions): Promise<MoveSource> {
  const { dataFolder, sourceUrl, targetUrl, clock, logger } = options;
  const file = path.join(dataFolder, DATABASE_NAME);
  const isOnPostgres = existsSync(path.join(dataFolder, POSTGRES_NAME));
  const origin = findOrigin(dataFolder);
  if (origin.workRoot === undefined || origin.kind !== 'stayed') {
    throw createError(
      'unavailable',
      `${dataFolder} has been moved or restored since its server last ran. Start the server once, and run the command again.`,
    );
  }
  const database = isOnPostgres ? { url: sourceUrl ?? targetUrl } : { file };
  await requireNewestSchema('url' in database ? { ...database, logger } : database);
  const { artifacts: artifactFolder, volumes: volumeFolder } = workFolders(origin.workRoot);
  const logFolder = path.join(dataFolder, 'logs');
  const stack = new AsyncDisposableStack();
  const { db } = stack.use(openForReading(database, logger));
  // Shared, so that what the running server is receiving stays.
  const open = (folder: string) =>
    stack.adopt(createFsObjectStore({ folder, clock, isShared: true }), (store) => store.close());
  return {
    ...{ dataFolder, database, db, artifactFolder, volumeFolder, logFolder },
    isSameDatabase: 'url' in database && database.url === targetUrl,
    volumes: open(volumeFolder),
    logs: open(logFolder),
    hasVolume: ({ account, storageId }) =>
      statSync(path.join(volumeFolder, account, storageId), { throwIfNoEntry: false })?.isDirectory() === true,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
