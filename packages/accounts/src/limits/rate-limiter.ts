import { createError } from '@berth/contract';
import type { Clock } from '@berth/kit';

/** At most `max` calls in a window of time. */
export interface RateLimit {
  readonly windowSeconds: number;
  readonly max: number;
}

/** Keys kept at a time; above it the ones whose window began first are forgotten. About 10 MB. */
const MAX_KEYS = 50_000;

/**
 * Creates a counter of calls by key in fixed windows, in the memory of this process. Windows follow the monotonic clock, so
 * changing the wall clock opens none.
 */
export function createRateLimiter(clock: Clock) {
  const windows = new Map<string, { startedMs: number; count: number }>();
  const consume = (key: string, { windowSeconds, max }: RateLimit): number | undefined => {
    const nowMs = clock.monotonicMs();
    const windowMs = windowSeconds * 1_000;
    const current = windows.get(key);
    if (current && nowMs - current.startedMs < windowMs) {
      if (current.count >= max) return Math.ceil((current.startedMs + windowMs - nowMs) / 1_000);
      current.count++;
      return undefined;
    }
    // Deleted first, so that the map stays in the order in which windows began.
    windows.delete(key);
    windows.set(key, { startedMs: nowMs, count: 1 });
    const [oldest] = windows.keys();
    if (windows.size > MAX_KEYS && oldest !== undefined) windows.delete(oldest);
    return undefined;
  };
  return {
    /** Counts a call. Returns undefined when it is allowed, else the seconds until the next one is. */
    consume,
    /** Counts a call. @throws `too_many_requests` with `retryAfterSeconds` in its details. */
    take(key: string, limit: RateLimit): void {
      const retryAfterSeconds = consume(key, limit);
      if (retryAfterSeconds === undefined) return;
      throw createError('too_many_requests', 'Too many attempts. Wait, then try again.', {
        details: { retryAfterSeconds },
      });
    },
    /** Uncounts one call that was allowed in the current window. */
    restore(key: string): void {
      const current = windows.get(key);
      if (current && --current.count === 0) windows.delete(key);
    },
  };
}
