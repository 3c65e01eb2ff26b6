/** A span of time that is billed together. */
export interface BillingPeriod {
  /** Epoch milliseconds, wall clock, inclusive. */
  readonly startMs: number;
  /** Epoch milliseconds, wall clock, exclusive. */
  readonly endMs: number;
}

/** Returns the calendar month of a moment, UTC. */
export function monthOf(nowMs: number): BillingPeriod {
  const now = new Date(nowMs);
  const year = now.getUTCFullYear();
  const month = now.getUTCMonth();
  return { startMs: Date.UTC(year, month, 1), endMs: Date.UTC(year, month + 1, 1) };
}
