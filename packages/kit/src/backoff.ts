/** Bounds of an exponential backoff: the delay is `min(maxMs, baseMs · 2^attempt)`. */
export interface BackoffOptions {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** Returns the delay in milliseconds before the next attempt. `attempt` is the number of failures so far, from 0. */
export function backoffMs(attempt: number, { baseMs, maxMs }: BackoffOptions): number {
  // 2^1024 is Infinity, which min() turns into maxMs.
  return Math.min(maxMs, baseMs * 2 ** Math.max(0, attempt));
}
