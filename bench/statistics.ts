/** The value below which `ratio` of `values` lie (nearest rank); NaN of nothing. */
export function quantile(values: readonly number[], ratio: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(ratio * sorted.length) - 1))] ?? Number.NaN;
}

/** Median and 95th percentile of measured times. */
export interface Spread {
  readonly runs: number;
  readonly medianMs: number;
  readonly p95Ms: number;
}

export function spreadOf(valuesMs: readonly number[]): Spread {
  return {
    runs: valuesMs.length,
    medianMs: roundTo(quantile(valuesMs, 0.5), 1),
    p95Ms: roundTo(quantile(valuesMs, 0.95), 1),
  };
}

export function roundTo(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}
