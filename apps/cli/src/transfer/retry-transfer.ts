import { BerthError, backoffMs, type Clock } from '@berth/kit';

const TRIES = 6;
const BACKOFF = { baseMs: 500, maxMs: 15_000 };

/**
 * Runs a transfer and retries it after retryable errors: up to six times in a row, over about half a minute. Progress since the last
 * failure resets the count.
 * @throws the last error
 */
export async function retryTransfer<Value>(
  transfer: (attempt: number) => Promise<Value>,
  { clock, signal, progressBytes }: { clock: Clock; signal: AbortSignal; progressBytes: () => number },
): Promise<Value> {
  let doneBytes = progressBytes();
  for (let attempt = 0, failures = 0; ; attempt++) {
    try {
      return await transfer(attempt);
    } catch (error) {
      signal.throwIfAborted();
      if (progressBytes() > doneBytes) failures = 0;
      doneBytes = progressBytes();
      failures++;
      if (!BerthError.is(error) || !error.isRetryable || failures === TRIES) throw error;
      await clock.sleep(backoffMs(failures - 1, BACKOFF), signal);
    }
  }
}
