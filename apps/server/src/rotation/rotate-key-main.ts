/**
 * `node rotate-key-main.ts DATA_FOLDER [--known-to-all]` takes the next step of a rotation of the master key, and prints the number of
 * sealed secrets as it goes and a {@link KeyRotation} as lines of JSON. `berth admin rotate-key` runs it. On SQLite the server must not run.
 */
import { existsSync } from 'node:fs';
import { createError } from '@berth/contract';
import { openDatabase } from '@berth/database';
import { BerthError, createSystemClock } from '@berth/kit';
import { readConfig } from '../config/read-config.ts';
import { lockDataFolder } from '../data-folder/data-folder-lock.ts';
import { preparePlatformFolders } from '../data-folder/platform-folders.ts';
import { type KeyRotation, rotateKey } from './rotate-key.ts';

/** A line that this program prints. */
export type RotationLine = { readonly kind: 'progress'; readonly count: number } | KeyRotation;

/** Settings that say where the database and its key are. */
const KEPT_SETTINGS = /^BERTH_(DATABASE_URL|MASTER_KEY.*)$/;

const [folder = '', ...words] = process.argv.slice(2);
try {
  await rotate();
} catch (error) {
  console.error(BerthError.is(error) ? `berth: ${error.message}` : error);
  process.exitCode = 1;
}

async function rotate(): Promise<void> {
  const environment = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('BERTH_') || KEPT_SETTINGS.test(name)),
  );
  const reading = readConfig({ flags: { data: folder }, environment, workingFolder: process.cwd() });
  if ('faults' in reading) throw createError('invalid', reading.faults.join('\n'));
  const { config } = reading;
  const { dataFolder, databaseUrl: url } = config;
  if (!existsSync(dataFolder))
    throw createError('not_found', `${dataFolder} doesn't exist. Name the data folder with --data.`);
  const folders = preparePlatformFolders(dataFolder, url !== undefined);
  if (folders.isFirstRun) throw createError('conflict', `No server has used ${dataFolder} yet, so it has no secrets.`);
  using stack = new DisposableStack();
  // Servers on Postgres run on.
  if (url === undefined) stack.adopt(lockDataFolder(dataFolder), (lock) => lock.release());
  const { db, close } = await openDatabase(url === undefined ? { file: folders.database } : { url });
  try {
    const rotation = await rotateKey({
      ...{ config, folders, environment, db },
      clock: createSystemClock(),
      isKnownToAll: url === undefined || words.includes('--known-to-all'),
      onProgress: (count) => print({ kind: 'progress', count }),
    });
    print(rotation);
  } finally {
    await close();
  }
}

function print(line: RotationLine): void {
  console.log(JSON.stringify(line));
}
