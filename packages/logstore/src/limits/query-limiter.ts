import { createError } from '@berth/contract';

/** How many queries may run and wait. */
export interface QueryLineLimits {
  /** At once, of all accounts. */
  readonly running: number;
  /** At once, of one account. */
  readonly runningPerAccount: number;
  /** Of one account, behind those that run. */
  readonly waitingPerAccount: number;
}

interface Waiter {
  readonly account: string;
  readonly start: () => void;
}

/**
 * Lets queries begin in the order they came, but none of an account that has its share: one that asks much makes nobody
 * else wait longer than for the queries that run.
 */
export interface QueryLine {
  /**
   * Waits for a turn; the answer ends it, once.
   * @throws `too_many_requests` when the account has as many waiting as it may; the signal's reason.
   */
  enter(account: string, signal: AbortSignal): Promise<() => void>;
}

export function createQueryLine(limits: QueryLineLimits & { readonly what: string }): QueryLine {
  const running = new Map<string, number>();
  const waiting = new Set<Waiter>();
  let total = 0;

  const mayRun = (account: string) => total < limits.running && (running.get(account) ?? 0) < limits.runningPerAccount;
  const leave = (account: string) => {
    total--;
    const left = (running.get(account) ?? 1) - 1;
    if (left === 0) running.delete(account);
    else running.set(account, left);
    for (const waiter of waiting) {
      if (!mayRun(waiter.account)) continue;
      waiting.delete(waiter);
      waiter.start();
    }
  };
  const begin = (account: string) => {
    total++;
    running.set(account, (running.get(account) ?? 0) + 1);
    let isOver = false;
    return () => {
      if (!isOver) leave(account);
      isOver = true;
    };
  };

  return {
    async enter(account, signal) {
      signal.throwIfAborted();
      if (mayRun(account)) return begin(account);
      const own = [...waiting].filter((waiter) => waiter.account === account).length;
      if (own >= limits.waitingPerAccount) {
        throw createError(
          'too_many_requests',
          `The account has ${own} ${limits.what} waiting. Try again when some have ended.`,
        );
      }
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          waiting.delete(waiter);
          reject(signal.reason);
        };
        const waiter: Waiter = {
          account,
          start() {
            signal.removeEventListener('abort', onAbort);
            resolve(begin(account));
          },
        };
        signal.addEventListener('abort', onAbort, { once: true });
        waiting.add(waiter);
      });
    },
  };
}
