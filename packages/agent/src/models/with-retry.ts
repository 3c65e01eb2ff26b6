import { backoffMs, type Clock } from '@berth/kit';
import { streamWithin } from './first-byte-limit.ts';
import { factsOf, type Model } from './model.ts';
import { ModelError } from './model-error.ts';

export interface RetryOptions {
  readonly clock: Clock;
  /** Attempts, including the first. */
  readonly maxTries?: number;
  /** Time until the first byte of an answer, all attempts and waits included; 60 s by default. */
  readonly firstByteMs?: number | undefined;
  /** Random number from 0 to 1. */
  readonly random?: () => number;
  onRetry?(error: ModelError, waitMs: number): void;
}

const MAX_TRIES = 4;
const FIRST_BYTE_MS = 60_000;
const BACKOFF = { baseMs: 500, maxMs: 8_000 };

/**
 * Wraps a model so that it retries after a transient failure, as long as no part of the answer was passed on; a later retry would
 * repeat text. The wait is what the upstream asked for, else it doubles, with up to 50 % of random jitter. A wait that would end
 * after the limit for the first byte is not begun: the turn fails, and the log says why.
 */
export function withRetry(model: Model, options: RetryOptions): Model {
  const { clock, maxTries = MAX_TRIES, firstByteMs = FIRST_BYTE_MS, random = Math.random, onRetry } = options;
  return {
    ...factsOf(model),
    async *stream(request) {
      const endMs = clock.monotonicMs() + firstByteMs;
      for (let attempt = 0; ; attempt++) {
        let hasBegun = false;
        try {
          const leftMs = endMs - clock.monotonicMs();
          for await (const event of streamWithin(
            model,
            { ...request, firstByteMs: leftMs },
            { clock, limitMs: firstByteMs },
          )) {
            hasBegun = true;
            yield event;
          }
          return;
        } catch (error) {
          const isLast = attempt + 1 >= maxTries;
          if (hasBegun || isLast || !(error instanceof ModelError) || !error.isRetryable) throw error;
          const waitMs = error.retryAfterMs ?? backoffMs(attempt, BACKOFF) * (1 + random() / 2);
          if (clock.monotonicMs() + waitMs >= endMs) throw error;
          onRetry?.(error, waitMs);
          await clock.sleep(waitMs, request.signal);
        }
      }
    },
  };
}
