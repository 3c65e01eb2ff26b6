import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOCK_WAIT_MS, type Locks } from '../ports/locks.ts';
import { lockIsHeld, queueLocks } from './queue-locks.ts';

/** SQLITE_BUSY. Source: sqlite.org/rescode.html. */
const BUSY = 5;
/** Polling interval for a lock that another process holds. */
const LOOK_MS = 10;

/**
 * Creates locks for instances on one machine. A key is an empty SQLite database in `folder`; the process with an open
 * write transaction on it holds the lock. The operating system releases the locks of a killed process. Nothing is
 * written, so a lock costs no disk wait.
 */
export function createSqliteLocks(folder: string, waitMs = LOCK_WAIT_MS): Locks {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return queueLocks(async (key, work) => {
    using database = await begin(path.join(folder, createHash('sha256').update(key).digest('hex')), waitMs);
    await work();
    database.exec('rollback');
  });
}

async function begin(file: string, waitMs: number): Promise<DatabaseSync> {
  const database = new DatabaseSync(file, { timeout: 0 });
  const endsMs = performance.now() + waitMs;
  for (;;) {
    try {
      database.exec('begin immediate');
      return database;
    } catch (error) {
      const isHeld = ((error as { readonly errcode?: number }).errcode ?? 0) % 256 === BUSY;
      if (isHeld && performance.now() < endsMs) {
        await sleep(LOOK_MS);
        continue;
      }
      database.close();
      throw isHeld ? lockIsHeld(error) : error;
    }
  }
}
