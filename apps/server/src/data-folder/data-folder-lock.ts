import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createError } from '@berth/contract';
import { BerthError, type Clock } from '@berth/kit';

/** Held by the one server of a data folder. */
export interface DataFolderLock {
  release(): void;
}

/** A process of a server that was killed notices within milliseconds; this is for a machine that is very busy. */
const STATE_WAIT_MS = 10_000;
const RETRY_MS = 20;

/**
 * Takes the lock of a data folder. It is a lock of the operating system on `server.lock`, so it ends with the process
 * that holds it, however that dies: there is no stale lock.
 * @throws BerthError `conflict` when another server holds it; `unavailable` when the file can't be used.
 */
export function lockDataFolder(folder: string): DataFolderLock {
  return lock(folder, 'server.lock');
}

/**
 * Takes the second lock of a data folder, which is on what it holds. Who has the first one may have to wait for it: the control
 * process of a server that was killed ends after it.
 * @throws BerthError `conflict` when that process does not end.
 */
export async function lockState(folder: string, clock: Clock): Promise<DataFolderLock> {
  const giveUpMs = clock.monotonicMs() + STATE_WAIT_MS;
  for (;;) {
    try {
      return lock(folder, 'state.lock');
    } catch (error) {
      if (!BerthError.is(error, 'conflict') || clock.monotonicMs() > giveUpMs) throw error;
      await clock.sleep(RETRY_MS);
    }
  }
}

function lock(folder: string, name: string): DataFolderLock {
  const file = path.join(folder, name);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0 });
    // The journal stays in memory: the lock must be had on a full disk too.
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;');
  } catch (cause) {
    database?.close();
    if (isBusy(cause)) {
      throw createError(
        'conflict',
        `Another Berth server is running on ${folder}. Stop it, or give this one its own folder with --data.`,
        { cause },
      );
    }
    throw createError('unavailable', `Couldn't lock ${file}: ${(cause as Error).message}.`, { cause });
  }
  const held = database;
  return { release: () => held.isOpen && held.close() };
}

/** SQLITE_BUSY. Source: sqlite.org/rescode.html. */
const isBusy = (error: unknown) => (error as { errcode?: unknown }).errcode === 5;
