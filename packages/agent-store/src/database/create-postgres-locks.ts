import { type Kysely, sql } from 'kysely';
import { LOCK_WAIT_MS, type Locks } from '../ports/locks.ts';
import { lockIsHeld, queueLocks } from './queue-locks.ts';
import type { AgentSchema } from './schema.ts';

/** SQLSTATE lock_not_available. Source: the PostgreSQL manual, appendix A. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Advisory locks of transactions: they end with their connection, so with their process. Keys are those of the schema.
 * @param db on connections of its own: whoever holds a lock needs another connection to get anything done.
 */
export function createPostgresLocks(db: Kysely<AgentSchema>, waitMs = LOCK_WAIT_MS): Locks {
  return queueLocks(async (key, work) => {
    await db.transaction().execute(async (transaction) => {
      await sql`select set_config('lock_timeout', ${`${waitMs}ms`}, true)`.execute(transaction);
      try {
        const lock = sql`select pg_advisory_xact_lock(hashtextextended(current_schema() || ' ' || ${key}, 0))`;
        await lock.execute(transaction);
      } catch (error) {
        throw (error as { readonly code?: unknown }).code === LOCK_NOT_AVAILABLE ? lockIsHeld(error) : error;
      }
      await work();
    });
  });
}
