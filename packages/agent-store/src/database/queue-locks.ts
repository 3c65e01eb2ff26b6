import { createError } from '@berth/contract';
import { createLimiter } from '@berth/kit';
import type { Locks } from '../ports/locks.ts';

/** Runs `work` while it has the key among all instances. */
export type HoldLock = (key: string, work: () => Promise<void>) => Promise<void>;

/** Lets each key's works of this instance queue up before they ask for the lock that all instances share. */
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
    // What was done is done, also when its lock broke meanwhile.
    if (!outcome) throw error;
  }
  return await (outcome as Promise<Value>);
}

/** What {@link Locks} throws to whoever waited too long. */
export function lockIsHeld(cause: unknown) {
  return createError('unavailable', 'Another instance of the agent is changing this for long. Try again.', { cause });
}
