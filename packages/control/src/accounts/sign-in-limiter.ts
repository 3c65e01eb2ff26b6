import type { Clock } from '@berth/kit';

/** So many calls in so many seconds. */
export interface LimitRule {
  readonly window: number;
  readonly max: number;
}

/** Counts calls by key in memory, in fixed windows. */
export interface SignInLimiter {
  /** Takes one call off what `key` has left; `retryAfter` is in seconds, null when the call is allowed. */
  consume(key: string, rule: LimitRule): Promise<{ readonly allowed: boolean; readonly retryAfter: number | null }>;
  /** Gives `key` back one call that `consume` allowed in the current window. */
  restore(key: string): void;
}

/** Keys kept at a time; above it the ones that began longest ago are forgotten. About 10 MB. */
const MAX_KEYS = 50_000;

export function createSignInLimiter(clock: Clock): SignInLimiter {
  const windows = new Map<string, { startedMs: number; count: number }>();
  return {
    async consume(key, { window, max }) {
      const nowMs = clock.monotonicMs();
      const windowMs = window * 1_000;
      const current = windows.get(key);
      if (current && nowMs - current.startedMs < windowMs) {
        if (current.count >= max) {
          return { allowed: false, retryAfter: Math.ceil((current.startedMs + windowMs - nowMs) / 1_000) };
        }
        current.count++;
        return { allowed: true, retryAfter: null };
      }
      // Deleted first, so that the map stays in the order in which windows began.
      windows.delete(key);
      windows.set(key, { startedMs: nowMs, count: 1 });
      const [oldest] = windows.keys();
      if (windows.size > MAX_KEYS && oldest !== undefined) windows.delete(oldest);
      return { allowed: true, retryAfter: null };
    },
    restore(key) {
      const current = windows.get(key);
      if (current && --current.count === 0) windows.delete(key);
    },
  };
}
