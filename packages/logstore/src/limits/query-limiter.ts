import { createError } from '@berth/contract';
import { createLimiter, type Limiter } from '@berth/kit';

/** Numbers of queries that may run and wait. */
export interface QueryLimits {
  /** Running queries of all accounts. */
  readonly running: number;
  /** Running queries of one account. */
  readonly runningPerAccount: number;
  /** Waiting queries of one account. */
  readonly waitingPerAccount: number;
}

/**
 * Creates a limiter of queries whose keys are accounts: a busy account delays others only by the queries that it has
 * running. Throws `too_many_requests` when an account has too many queries waiting.
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
        `The account has ${waitingOfKey} ${noun} queued. Try again when some have finished.`,
      );
    },
  });
}
