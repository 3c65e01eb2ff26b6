import { BerthError, backoffMs, type Clock } from '@berth/kit';

const TRIES = 6;
const BACKOFF = { baseMs: 500, maxMs: 15_000 };

/**
 * Runs a try of a transfer, and again while it fails with something that may pass: six in a row, over about half a minute.
 * Bytes that were done since the failure before begin the count anew.
 * @throws the last failure.
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
