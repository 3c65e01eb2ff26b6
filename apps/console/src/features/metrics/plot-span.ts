import type { MetricsWindow } from '@berth/contract';
import { SPANS } from '../../components/time-range/time-range.ts';

/** Windows of the metrics. Equal to those of the contract, whose module would add all schemas to the bundle. */
export const METRICS_WINDOWS = ['15m', '1h', '6h', '24h', '7d'] as const satisfies readonly MetricsWindow[];

/** Time span of the plots: between two times in RFC 3339 UTC, or a window that ends now. */
export interface PlotSpan {
  readonly window?: MetricsWindow;
  readonly from?: string;
  readonly to?: string;
}

/** A time range in epoch milliseconds. */
export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Minimum range; a shorter one has too few points at one per minute. */
export const RANGE_MIN_MS = 5 * 60_000;
/** Maximum range. Source: contract, `METRICS_RANGE_MAX_MS`. */
export const RANGE_MAX_MS = 366 * 86_400_000;

const MINUTE_MS = 60_000;

/** Returns the time range of a span; the default is the last hour. */
export function rangeOf({ window = '1h', from, to }: PlotSpan, nowMs: number): TimeRange {
  if (from !== undefined && to !== undefined) return { fromMs: Date.parse(from), toMs: Date.parse(to) };
  return { fromMs: nowMs - SPANS[window], toMs: nowMs };
}

/** Returns the span between two times, widened to whole minutes and limited to the range that the API answers. */
export function spanBetween(aMs: number, bMs: number): { readonly from: string; readonly to: string } {
  const middleMs = (aMs + bMs) / 2;
  const halfMs = Math.min(Math.max(Math.abs(bMs - aMs), RANGE_MIN_MS), RANGE_MAX_MS - 2 * MINUTE_MS) / 2;
  const iso = (atMs: number) => new Date(atMs).toISOString().slice(0, 17);
  return {
    from: `${iso(Math.floor((middleMs - halfMs) / MINUTE_MS) * MINUTE_MS)}00Z`,
    to: `${iso(Math.ceil((middleMs + halfMs) / MINUTE_MS) * MINUTE_MS)}00Z`,
  };
}

/**
 * Returns a range shifted by a fraction of its length, or scaled by `factor` around its middle. Never ends in the
 * future.
 */
export function moveRange({ fromMs, toMs }: TimeRange, nowMs: number, shift: number, factor = 1): PlotSpan {
  const lengthMs = Math.min((toMs - fromMs) * factor, RANGE_MAX_MS);
  const middleMs = (fromMs + toMs) / 2 + shift * (toMs - fromMs);
  const endMs = Math.min(middleMs + lengthMs / 2, nowMs);
  return spanBetween(endMs - lengthMs, endMs);
}

/** Returns the span as query parameters of `GET /v1/deployment/metrics`. */
export function toQuery({ window = '1h', from, to }: PlotSpan): PlotSpan {
  return from !== undefined && to !== undefined ? { from, to } : { window };
}
