/** How the wait grows: `min(maxMs, baseMs · 2^attempt)`. */
export interface BackoffOptions {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** The wait in milliseconds before try number `attempt + 1`; `attempt` counts failures so far, from 0. */
export function backoffMs(attempt: number, { baseMs, maxMs }: BackoffOptions): number {
  // 2^1024 is Infinity, which min() turns into maxMs.
  return Math.min(maxMs, baseMs * 2 ** Math.max(0, attempt));
}
