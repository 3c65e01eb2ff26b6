import { backoffMs, type Clock } from '@berth/kit';
import type { Model } from './model.ts';
import { ModelError } from './model-error.ts';

export interface RetryOptions {
  readonly clock: Clock;
  /** The first one included. */
  readonly maxTries?: number;
  /** From 0 to 1. */
  readonly random?: () => number;
  onRetry?(error: ModelError, waitMs: number): void;
}

const MAX_TRIES = 4;
const BACKOFF = { baseMs: 500, maxMs: 8_000 };
/** Nobody waits longer than this for an upstream that asks for patience: the turn fails, and says why in the log. */
const MAX_WAIT_MS = 60_000;

/**
 * Asks again after a failure that may pass, as long as nothing of the answer was given on: afterwards a second try would
 * say things twice. The wait is what the upstream asked for, else it doubles, with up to a half more by chance so that
 * turns which failed together don't come back together.
 */
export function withRetry(model: Model, options: RetryOptions): Model {
  const { clock, maxTries = MAX_TRIES, random = Math.random, onRetry } = options;
  return {
    name: model.name,
    async *stream(request) {
      for (let attempt = 0; ; attempt++) {
        let hasBegun = false;
        try {
          for await (const event of model.stream(request)) {
            hasBegun = true;
            yield event;
          }
          return;
        } catch (error) {
          const isLast = attempt + 1 >= maxTries;
          if (hasBegun || isLast || !(error instanceof ModelError) || !error.isRetryable) throw error;
          const waitMs = error.retryAfterMs ?? backoffMs(attempt, BACKOFF) * (1 + random() / 2);
          if (waitMs > MAX_WAIT_MS) throw error;
          onRetry?.(error, waitMs);
          await clock.sleep(waitMs, request.signal);
        }
      }
    },
  };
}
