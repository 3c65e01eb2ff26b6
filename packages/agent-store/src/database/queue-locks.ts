import { createError } from '@berth/contract';
import { createLimiter } from '@berth/kit';
import type { Locks } from '../ports/locks.ts';

/** Runs `work` while holding the key's lock across all instances. */
export type HoldLock = (key: string, work: () => Promise<void>) => Promise<void>;

/** Creates locks that queue the work of this instance per key before acquiring the lock that all instances share. */
export function queueLocks(hold: HoldLock = (_key, work) => work()): Locks {
  const limiter = createLimiter({ concurrency: Number.POSITIVE_INFINITY, concurrencyPerKey: 1 });
  return { alone: (key, work) => limiter.run(() => runHolding(hold, key, work), { key }) };
}

async function runHolding<Value>(hold: HoldLock, key: string, work: () => Promise<Value>): Promise<Value> {
  let outcome: Promise<Value> | undefined;
  try {
    await hold(key, async () => {
      outcome = work();
      await outcome;
    });
  } catch (error) {
    // The work's outcome counts even if the lock broke in the meantime.
    if (!outcome) throw error;
  }
  return await (outcome as Promise<Value>);
}

/** Returns the error that {@link Locks} throws when a lock isn't acquired in time. */
export function lockIsHeld(cause: unknown) {
  return createError('unavailable', 'Another instance is still updating this. Try again.', { cause });
}
