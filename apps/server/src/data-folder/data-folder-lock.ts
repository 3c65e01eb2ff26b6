import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createError } from '@berth/contract';
import { BerthError, type Clock } from '@berth/kit';

/** The lock of a data folder, held by its one server. */
export interface DataFolderLock {
  release(): void;
}

/** The processes of a killed server end within milliseconds; this allows for a very busy machine. */
const STATE_WAIT_MS = 10_000;
const RETRY_MS = 20;

/**
 * Takes the lock of a data folder. It is an operating system lock on `server.lock`, so it ends with its process in any case and is
 * never stale.
 * @throws BerthError `conflict` when another server holds it; `unavailable` when the file can't be used
 */
export function lockDataFolder(folder: string): DataFolderLock {
  return lock(folder, 'server.lock');
}

/**
 * Takes the second lock of a data folder, on its database and logs. The holder of the first lock may have to wait for it, because the
 * control process of a killed server ends after that server.
 * @throws BerthError `conflict` when that process doesn't end
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

/** Takes the lock of a move of the platform, which may run beside a server. @throws BerthError `conflict` while another move runs */
export function lockMove(folder: string): DataFolderLock {
  try {
    return lock(folder, 'move.lock');
  } catch (cause) {
    if (!BerthError.is(cause, 'conflict')) throw cause;
    throw createError('conflict', `Another command is moving ${folder}. Wait for it to finish.`, { cause });
  }
}

function lock(folder: string, name: string): DataFolderLock {
  const file = path.join(folder, name);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0 });
    // The journal stays in memory, so that locking works on a full disk.
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;');
  } catch (cause) {
    database?.close();
    if (isBusy(cause)) {
      throw createError(
        'conflict',
        `Another Berth server is using ${folder}. Stop it, or choose another folder with --data.`,
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
