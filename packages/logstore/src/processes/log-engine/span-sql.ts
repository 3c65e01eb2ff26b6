/** What TIMESTAMP_NS has of the milliseconds since the epoch; logs have no times before. */
const LAST_MS = 9_223_372_036_853;

/** A condition on `timestamp`, written so that whole parts of a Parquet file are passed over by it. */
export function spanSql({ fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number }): string {
  const bound = (ms: number) => `make_timestamp_ns(${BigInt(Math.min(Math.max(ms, 0), LAST_MS)) * 1_000_000n})`;
  return `timestamp >= ${bound(fromMs)} AND timestamp < ${bound(untilMs)}`;
}
