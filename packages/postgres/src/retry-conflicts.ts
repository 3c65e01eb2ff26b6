import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '@berth/kit';
import type { Kysely, TransactionBuilder } from 'kysely';

/** SQLSTATEs serialization_failure and deadlock_detected: the statement changed nothing. Source: the manual, appendix A. */
const CONFLICTS: ReadonlySet<unknown> = new Set(['40001', '40P01']);

/** Enough for dozens of transactions that change the same row. */
const ATTEMPTS = 20;
const BACKOFF = { baseMs: 2, maxMs: 100 };

/** Returns whether a transaction failed only because of others that ran beside it. */
export function isConflict(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: { readonly code?: unknown } };
  return CONFLICTS.has(code) || CONFLICTS.has(cause?.code);
}

/** Runs `work` again for as long as it fails with a conflict, at most {@link ATTEMPTS} times. */
export async function retryConflicts<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !isConflict(error)) throw error;
      // A random part, so that the same transactions don't meet again.
      await sleep(backoffMs(attempt - 1, BACKOFF) * (0.5 + Math.random()));
    }
  }
}

/**
 * Makes the transactions of `db` run again as `retry` decides: by default after a conflict. Their callbacks must have no effects besides
 * their queries.
 */
export function retryTransactions<Schema>(db: Kysely<Schema>, retry = retryConflicts): Kysely<Schema> {
  const begin = db.transaction.bind(db);
  db.transaction = (): TransactionBuilder<Schema> => {
    const builder = begin();
    const execute = builder.execute.bind(builder);
    builder.execute = (work) => retry(() => execute(work));
    return builder;
  };
  const addPlugin = db.withPlugin.bind(db);
  db.withPlugin = (plugin) => retryTransactions(addPlugin(plugin), retry);
  return db;
}
