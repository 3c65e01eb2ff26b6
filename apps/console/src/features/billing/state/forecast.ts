import type { Subscription } from '@berth/contract';

/** Minimum elapsed time for a forecast; a single day would not be representative. */
const MIN_MS = 86_400_000;

/** A billing period. */
export interface Period {
  /** Start in epoch milliseconds. */
  readonly startMs: number;
  /** End in epoch milliseconds, exclusive. */
  readonly endMs: number;
}

/**
 * Returns the linear projection of an amount to the end of its period; undefined on the first day and after the end.
 */
export function forecast(amount: number, { startMs, endMs }: Period, nowMs: number): number | undefined {
  const passedMs = nowMs - startMs;
  if (passedMs < MIN_MS || nowMs >= endMs) return undefined;
  return (amount / passedMs) * (endMs - startMs);
}

/** Returns the billing period of a subscription. */
export function periodOf(subscription: Pick<Subscription, 'current_period_start' | 'current_period_end'>): Period {
  const { current_period_start: start, current_period_end: end } = subscription;
  return { startMs: Date.parse(start), endMs: Date.parse(end) };
}
