import { accessSync, constants, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { createError } from '@berth/contract';
import { findOrigin, type Origin } from './data-place.ts';
import { describeSystemError } from './describe-system-error.ts';
import { MASTER_KEY_NAME } from './master-key.ts';
import { refuseMoved } from './moved-mark.ts';
import { writePrivateFile } from './write-private-file.ts';

/** Paths in the data folder. All of them are private to the server's user. */
export interface PlatformFolders {
  readonly data: string;
  readonly database: string;
  readonly logs: string;
  readonly runtimeState: string;
  /** True for a new folder, whose database doesn't exist yet. */
  readonly isFirstRun: boolean;
  /** How the folder came to where it is. */
  readonly origin: Origin;
}

/** Returns the folders of the work root, which services may see. */
export function workFolders(workRoot: string) {
  const at = (name: string): string => path.join(workRoot, name);
  return { archives: at('archives'), artifacts: at('artifacts'), cache: at('cache'), volumes: at('volumes') };
}

/** Returns the folder of all volumes that services mount. Without mountable volumes there is nothing in it. */
export function volumesFolder(
  { sharedFolder }: { readonly sharedFolder?: string | undefined },
  workRoot: string,
): string {
  return sharedFolder === undefined ? workFolders(workRoot).volumes : path.join(sharedFolder, 'volumes');
}

/** Returns the folder in which servers with a shared folder agree on the groups of accounts; undefined without one. */
export function sharedGroupFolder({
  sharedFolder,
}: {
  readonly sharedFolder?: string | undefined;
}): string | undefined {
  return sharedFolder === undefined ? undefined : path.join(sharedFolder, 'groups');
}

/** Name of the SQLite database in the data folder. */
export const DATABASE_NAME = 'berth.db';
/** Marks a new folder until its database exists, so that a killed first start isn't taken for a damaged folder. */
const FIRST_RUN_NAME = 'first-run';
/** Marks a folder whose database is in Postgres. */
export const POSTGRES_NAME = 'postgres';
/** Parts that are only written once there is a database. A folder with any of them has been used. */
const KEPT = [MASTER_KEY_NAME, 'api-key', 'logs', 'work/volumes', 'work/artifacts', 'work/archives'];

/**
 * Creates the data folder (0700) and returns its paths.
 * @param isOnPostgres whether the settings name a Postgres database.
 * @throws BerthError `unavailable` that says why it can't be made or written, or when the database is missing or empty, or is another than
 *   the settings name, and other parts are there: a server that took this for a new folder would delete the artifacts of its services;
 *   when the platform was moved to Kubernetes.
 */
export function preparePlatformFolders(data: string, isOnPostgres = false): PlatformFolders {
  ensureUsable(data, data);
  refuseMoved(data);
  const database = path.join(data, DATABASE_NAME);
  const mark = path.join(data, FIRST_RUN_NAME);
  const wasOnPostgres = existsSync(path.join(data, POSTGRES_NAME));
  if (wasOnPostgres && !isOnPostgres) {
    throw createError('unavailable', `The database of ${data} is in Postgres. Set BERTH_DATABASE_URL to its URL.`);
  }
  if (isOnPostgres && isFilled(database)) {
    throw createError(
      'unavailable',
      `The database of ${data} is ${database}. Start without BERTH_DATABASE_URL, or choose another folder with --data.`,
    );
  }
  const isNew = !isFilled(database) && !wasOnPostgres && !existsSync(mark);
  if (isNew) refuseUsed(data, database, isOnPostgres);
  const folder = (name: string) => {
    const made = path.join(data, name);
    ensureUsable(data, made);
    return made;
  };
  const folders = { data, database, logs: folder('logs'), runtimeState: folder('runtime') };
  if (isNew) writePrivateFile(mark, '');
  return { ...folders, isFirstRun: existsSync(mark), origin: findOrigin(data) };
}

/** Removes the mark of a new folder. From then on a missing database is an error. */
export function endFirstRun({ data }: Pick<PlatformFolders, 'data'>, isOnPostgres = false): void {
  const mark = path.join(data, POSTGRES_NAME);
  if (isOnPostgres && !existsSync(mark)) writePrivateFile(mark, '');
  rmSync(path.join(data, FIRST_RUN_NAME), { force: true });
}

function refuseUsed(data: string, database: string, isOnPostgres: boolean): void {
  // A server that joins a database gets the master key of the others before its first start.
  const kept = isOnPostgres ? KEPT.filter((name) => name !== MASTER_KEY_NAME) : KEPT;
  const found = kept.filter((name) => isFilled(path.join(data, name)));
  if (found.length === 0) return;
  const problem = existsSync(database) ? 'is empty' : 'is missing';
  throw createError(
    'unavailable',
    `${database} ${problem}, but ${data} has been used: it holds ${found.join(', ')}. Nothing was changed. Put the database back, or restore a backup into another folder (berth admin restore FILE FOLDER). To start over, move ${data} away, or choose another folder with --data.`,
  );
}

/** Returns true for a file with bytes and a folder with entries. */
function isFilled(place: string): boolean {
  const stats = statSync(place, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  return stats.isDirectory() ? readdirSync(place).length > 0 : stats.size > 0;
}

/** @throws BerthError `unavailable` that says why `folder`, the data folder or a part of it, can't be made or written. */
function ensureUsable(data: string, folder: string): void {
  try {
    ensurePrivateFolder(folder);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const reason = describeSystemError(cause);
    if (reason === undefined) throw cause;
    throw createError('unavailable', `The data folder ${data} can't be used: ${reason} Choose another with --data.`, {
      cause,
    });
  }
}

/** Creates a folder and its parents. Node's `recursive` option would retry forever where nothing can be created, as below /proc. */
function ensurePrivateFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const found = statSync(folder, { throwIfNoEntry: false });
    if (found?.isDirectory()) return;
    const parent = path.dirname(folder);
    if (code !== 'ENOENT' || statSync(parent, { throwIfNoEntry: false }) !== undefined) throw error;
    ensurePrivateFolder(parent);
    ensurePrivateFolder(folder);
  }
}
