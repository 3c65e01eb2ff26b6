import { BerthError, backoffMs, type Clock } from '@berth/kit';

/** A person waits for the answer: a server that asks for a longer wait than this is believed to be down. */
const LONGEST_WAIT_MS = 5_000;
const TRIES = 3;

/**
 * Runs `call`, and again after a growing wait while it fails with a retryable error, three times in all. A server's
 * `Retry-After` is kept.
 * @throws the last error, or the signal's reason.
 */
export async function withRetries<Value>(
  call: () => Promise<Value>,
  clock: Clock,
  signal?: AbortSignal,
): Promise<Value> {
  for (let failures = 0; ; ) {
    try {
      return await call();
    } catch (error) {
      failures++;
      if (signal?.aborted || !BerthError.is(error) || !error.isRetryable || failures === TRIES) throw error;
      const asked = Number(error.details['retryAfterMs'] ?? 0);
      if (asked > LONGEST_WAIT_MS) throw error;
      await clock.sleep(Math.max(asked, backoffMs(failures - 1, { baseMs: 200, maxMs: 2_000 })), signal);
    }
  }
}
