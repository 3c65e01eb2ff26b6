import { BerthError, backoffMs, type Clock } from '@berth/kit';

/** Delays before further attempts: 1, 4 and 10 s. A store that is down for longer fails the deploy or the start. */
const ATTEMPTS = 4;
const BACKOFF = { baseMs: 1_000, maxMs: 10_000 };

/** Runs `work` again while the object store is unavailable, {@link ATTEMPTS} times at most. @throws its last error; the signal's reason */
export async function retry<Value>(
  { clock, signal }: { readonly clock: Pick<Clock, 'sleep'>; readonly signal: AbortSignal },
  work: () => Promise<Value>,
): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (attempt === ATTEMPTS || !BerthError.is(error, 'unavailable')) throw error;
      await clock.sleep(backoffMs(2 * (attempt - 1), BACKOFF), signal);
    }
  }
}
