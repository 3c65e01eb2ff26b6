/** The latest millisecond since the epoch that TIMESTAMP_NS can represent. Logs have no times before 1970. */
const LAST_MS = 9_223_372_036_853;

/** Returns a condition on `timestamp`, in a form by which DuckDB can skip row groups. */
export function spanSql({ fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number }): string {
  const bound = (ms: number) => `make_timestamp_ns(${BigInt(Math.min(Math.max(ms, 0), LAST_MS)) * 1_000_000n})`;
  return `timestamp >= ${bound(fromMs)} AND timestamp < ${bound(untilMs)}`;
}
