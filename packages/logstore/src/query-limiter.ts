import { createError } from '@berth/contract';
import { createLimiter, type Limiter } from '@berth/kit';

/** How many queries may run and wait. */
export interface QueryLimits {
  /** Queries that run at once, of all accounts. */
  readonly running: number;
  /** Queries of one account that run at once. */
  readonly runningPerAccount: number;
  /** Queries of one account that wait behind those that run. */
  readonly waitingPerAccount: number;
}

/**
 * A limiter of queries with the account as key: one that asks a lot makes nobody else wait longer than for the queries that
 * run. It refuses with `too_many_requests` when the account has as many queries waiting as it may.
 * @param noun names the queries in that error, in the plural.
 */
export function createQueryLimiter(
  { running, runningPerAccount, waitingPerAccount }: QueryLimits,
  noun: string,
): Limiter {
  return createLimiter({
    concurrency: running,
    concurrencyPerKey: runningPerAccount,
    checkWait({ waitingOfKey }) {
      if (waitingOfKey < waitingPerAccount) return;
      throw createError(
        'too_many_requests',
        `The account has ${waitingOfKey} ${noun} waiting. Try again when some have ended.`,
      );
    },
  });
}
