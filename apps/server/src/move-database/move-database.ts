import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { createError } from '@berth/contract';
import {
  type CopiedDigest,
  type CopyDatabaseOptions,
  claimDatabase,
  completeCopy,
  copyToPostgres,
  copyToSqlite,
  countTables,
  putAside,
} from '@berth/database';
import { type Clock, describeError } from '@berth/kit';
import { lockDataFolder, lockState } from '../data-folder/data-folder-lock.ts';
import { refuseMoved } from '../data-folder/moved-mark.ts';
import { DATABASE_NAME, POSTGRES_NAME } from '../data-folder/platform-folders.ts';
import { writePrivateFile } from '../data-folder/write-private-file.ts';

/** Options of {@link moveDatabase}. */
export interface MoveDatabaseOptions
  extends Pick<CopyDatabaseOptions, 'url' | 'logger' | 'signal' | 'onProgress' | 'onAdapted'> {
  /** Data folder of a stopped server. */
  readonly dataFolder: string;
  readonly to: 'postgres' | 'sqlite';
  /** Only counts the rows. */
  readonly isDryRun: boolean;
  readonly clock: Clock;
}

/** The result of a move. */
export interface MovedDatabase {
  /** Tables of both sides, which are alike; in a dry run, those that would be copied. Empty when an earlier run had copied them. */
  readonly tables: readonly (Pick<CopiedDigest, 'table' | 'rows'> & Partial<CopiedDigest>)[];
  /** The database that was moved: a file, or a schema of Postgres. Undefined in a dry run, and if it couldn't be put aside. */
  readonly kept: string | undefined;
}

/**
 * Moves the database of a data folder into Postgres or back, and compares both before the folder is switched to the copy. The moved
 * database is kept under another name. Killed at any point, it goes on when it is called again, and until then the folder is either as it
 * was or refused by servers.
 * @throws BerthError `conflict` while a server uses the folder or the database, and when the target has data of its own; `not_found` when
 *   there is nothing to move; `unavailable` when a database can't be used, and for a folder whose platform runs elsewhere.
 */
export async function moveDatabase(options: MoveDatabaseOptions): Promise<MovedDatabase> {
  const { dataFolder, to, url, isDryRun, clock, logger } = options;
  const file = path.join(dataFolder, DATABASE_NAME);
  const mark = path.join(dataFolder, POSTGRES_NAME);
  if (!existsSync(file) && !existsSync(mark)) {
    throw createError(
      'not_found',
      `${dataFolder} is not a data folder: it has no ${DATABASE_NAME}. Pass it with --data.`,
    );
  }
  refuseMoved(dataFolder);
  const lock = lockDataFolder(dataFolder);
  try {
    const state = await lockState(dataFolder, clock);
    try {
      const claim = await claimDatabase(url, { logger, isShared: false });
      try {
        if (to === 'sqlite') return await toSqlite(options, file, mark);
        if (isDryRun && existsSync(file)) return { tables: await countTables({ file }), kept: undefined };
        return await toPostgres(options, file, mark);
      } finally {
        await claim.release();
      }
    } finally {
      state.release();
    }
  } finally {
    lock.release();
  }
}

async function toPostgres(options: MoveDatabaseOptions, file: string, mark: string): Promise<MovedDatabase> {
  if (!existsSync(file)) {
    // Switched already; at most the last step of an interrupted run is left.
    await completeCopy(options);
    return { tables: [], kept: undefined };
  }
  const tables = await copyToPostgres({ ...options, file });
  // Servers refuse a folder with both, and a copy that isn't completed.
  writePrivateFile(mark, '');
  const kept = `${file}.migrated-${timeOf(options)}`;
  renameSync(file, kept);
  syncFolder(options.dataFolder);
  await completeCopy(options);
  return { tables, kept };
}

async function toSqlite(options: MoveDatabaseOptions, file: string, mark: string): Promise<MovedDatabase> {
  if (existsSync(file)) {
    // With the mark, a run in either direction was interrupted in its switch: the file is complete.
    rmSync(mark, { force: true });
    return { tables: [], kept: undefined };
  }
  if (options.isDryRun)
    return { tables: await countTables({ url: options.url, logger: options.logger }), kept: undefined };
  const draft = `${file}.migrating`;
  const tables = await copyToSqlite({ ...options, file: draft });
  renameSync(draft, file);
  syncFolder(options.dataFolder);
  rmSync(mark);
  syncFolder(options.dataFolder);
  const kept = `berth_migrated_${timeOf(options).toLowerCase()}`;
  const isRenamed = await putAside(options, kept).then(
    () => true,
    (error: unknown) => {
      // Servers that use the folder don't look at the schema any more.
      options.logger.warn({ error: describeError(error) }, 'the schema in Postgres cannot be renamed');
      return false;
    },
  );
  return { tables, kept: isRenamed ? kept : undefined };
}

/** `20261127T205300Z`. */
const timeOf = ({ clock }: Pick<MoveDatabaseOptions, 'clock'>): string =>
  new Date(clock.nowMs()).toISOString().replaceAll(/[-:]|\.\d+/g, '');

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
