import { createError } from '@berth/contract';
import type { Database } from '@berth/database';
import type { Clock } from '@berth/kit';
import { type Kysely, sql } from 'kysely';
import { createRateLimiter, type RateLimit } from './rate-limiter.ts';

/** Counts attempts at a secret, of which a window of time allows a fixed number. */
export interface AttemptCounter {
  /** Counts an attempt. @throws `too_many_requests` with `retryAfterSeconds` in its details. */
  take(key: string): Promise<void>;
  /** Uncounts one attempt that was allowed in the current window. */
  restore(key: string): Promise<void>;
}

/** Options of {@link createAttemptCounter}. */
export interface AttemptCounterOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly limit: RateLimit;
  /** Several servers use the database: they count together, or each of them would allow as many attempts. */
  readonly isShared: boolean;
}

/** Creates a counter: in the memory of this process, or in the database for several servers. */
export function createAttemptCounter({ db, clock, limit, isShared }: AttemptCounterOptions): AttemptCounter {
  if (!isShared) {
    const limiter = createRateLimiter(clock);
    return {
      take: async (key) => limiter.take(key, limit),
      restore: async (key) => limiter.restore(key),
    };
  }
  const windowMs = limit.windowSeconds * 1_000;
  return {
    async take(key) {
      const nowMs = clock.nowMs();
      const row = await db.transaction().execute(async (transaction) => {
        await transaction
          .deleteFrom('attempt_windows')
          .where('started_at', '<=', nowMs - windowMs)
          .execute();
        return transaction
          .insertInto('attempt_windows')
          .values({ key, started_at: nowMs, count: 1 })
          .onConflict((conflict) =>
            conflict.column('key').doUpdateSet({
              // A refused attempt is not counted, beyond the one that shows that it is refused.
              count: sql<number>`case when attempt_windows.count > ${limit.max} then attempt_windows.count else attempt_windows.count + 1 end`,
            }),
          )
          .returning(['started_at', 'count'])
          .executeTakeFirstOrThrow();
      });
      if (row.count <= limit.max) return;
      const retryAfterSeconds = Math.max(1, Math.ceil((row.started_at + windowMs - nowMs) / 1_000));
      throw createError('too_many_requests', 'Too many attempts. Wait, then try again.', {
        details: { retryAfterSeconds },
      });
    },
    async restore(key) {
      await db
        .updateTable('attempt_windows')
        .set((eb) => ({ count: eb('count', '-', 1) }))
        .where('key', '=', key)
        .where('count', '>', 0)
        .execute();
    },
  };
}
