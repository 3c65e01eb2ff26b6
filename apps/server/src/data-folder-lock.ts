import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createError } from '@berth/contract';

/** Held by the one server of a data folder. */
export interface DataFolderLock {
  release(): void;
}

/**
 * Takes the lock of a data folder. It is a lock of the operating system on `server.lock`, so it ends with the process
 * that holds it, however that dies: there is no stale lock.
 * @throws BerthError `conflict` when another server holds it.
 */
export function lockDataFolder(folder: string): DataFolderLock {
  const database = new DatabaseSync(path.join(folder, 'server.lock'), { timeout: 0 });
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;');
  } catch (cause) {
    database.close();
    throw createError(
      'conflict',
      `Another Berth server is running on ${folder}. Stop it, or give this one its own folder with --data.`,
      { cause },
    );
  }
  return { release: () => database.isOpen && database.close() };
}
