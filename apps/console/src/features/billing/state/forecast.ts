import type { Subscription } from '@berth/contract';

/** Before it, a day's whim would be taken for a month's habit. */
const MIN_MS = 86_400_000;

export interface Period {
  /** Epoch milliseconds. */
  readonly startMs: number;
  /** The first moment after it. */
  readonly endMs: number;
}

/** What an amount comes to at the end of its period if it goes on as so far; undefined on the first day and afterwards. */
export function forecast(amount: number, { startMs, endMs }: Period, nowMs: number): number | undefined {
  const passedMs = nowMs - startMs;
  if (passedMs < MIN_MS || nowMs >= endMs) return undefined;
  return (amount / passedMs) * (endMs - startMs);
}

/** The period of a subscription. */
export function periodOf(subscription: Pick<Subscription, 'current_period_start' | 'current_period_end'>): Period {
  const { current_period_start: start, current_period_end: end } = subscription;
  return { startMs: Date.parse(start), endMs: Date.parse(end) };
}
