import type { MetricsPoint } from '@berth/contract';

/** Totals over a time range. */
export interface RangeTotals {
  readonly requests: number;
  readonly errors: number;
  /** Share of requests that failed; null without requests. */
  readonly errorRate: number | null;
  /** 95th percentile of the latency in milliseconds, estimated as the mean over points weighted by their requests. */
  readonly p95Ms: number | null;
}

/** Returns the totals of points. */
export function sumUp(points: readonly MetricsPoint[]): RangeTotals {
  const sum = (read: (point: MetricsPoint) => number) => points.reduce((total, point) => total + read(point), 0);
  const requests = sum((point) => point.requests);
  const errors = sum((point) => point.errors);
  return {
    ...{ requests, errors },
    errorRate: requests === 0 ? null : errors / requests,
    p95Ms: requests === 0 ? null : sum((point) => point.p95_ms * point.requests) / requests,
  };
}
