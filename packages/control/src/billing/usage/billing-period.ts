/** A span of time that is billed together. */
export interface BillingPeriod {
  /** Epoch milliseconds, wall clock; the first moment in it. */
  readonly startMs: number;
  /** Epoch milliseconds, wall clock; the first moment after it. */
  readonly endMs: number;
}

/** The calendar month, UTC. */
export function monthOf(nowMs: number): BillingPeriod {
  const now = new Date(nowMs);
  const year = now.getUTCFullYear();
  const month = now.getUTCMonth();
  return { startMs: Date.UTC(year, month, 1), endMs: Date.UTC(year, month + 1, 1) };
}
