import { type Kysely, sql } from 'kysely';
import { LOCK_WAIT_MS, type Locks } from '../ports/locks.ts';
import { lockIsHeld, queueLocks } from './queue-locks.ts';
import type { AgentSchema } from './schema.ts';

/** SQLSTATE lock_not_available. Source: the PostgreSQL manual, appendix A. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Creates locks from Postgres advisory locks of transactions: a lock ends with its connection, and so with its process.
 * Keys are specific to the schema.
 * @param db has connections of its own: the work under a lock needs another connection.
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
