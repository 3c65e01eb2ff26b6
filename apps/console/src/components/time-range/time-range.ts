/** Spans before now, in milliseconds. */
export const SPANS = {
  '15m': 900_000,
  '1h': 3_600_000,
  '6h': 21_600_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
  '30d': 2_592_000_000,
} as const;

export type Span = keyof typeof SPANS;

/** A time range: a span before now, or two RFC 3339 times. */
export type Range = { readonly last: Span } | { readonly from: string; readonly to: string };

/** Converts a range to epoch milliseconds. */
export function rangeMs(range: Range, nowMs: number): { readonly fromMs: number; readonly toMs: number } {
  if ('last' in range) return { fromMs: nowMs - SPANS[range.last], toMs: nowMs };
  return { fromMs: Date.parse(range.from), toMs: Date.parse(range.to) };
}

/** Reads a range from URL parameters; undefined where they have none or an invalid one. */
export function parseRange(last: string, from: string, to: string): Range | undefined {
  if (isTime(from) && isTime(to) && Date.parse(from) < Date.parse(to)) return { from, to };
  return Object.hasOwn(SPANS, last) ? { last: last as Span } : undefined;
}

/** Returns the URL parameters of a range. */
export function toRangeSearch(range: Range): Record<string, string> {
  return 'last' in range ? { range: range.last } : { from: range.from, to: range.to };
}

/** Whether `text` is an RFC 3339 time in UTC, with at most nanoseconds. */
export function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(text) && !Number.isNaN(Date.parse(text));
}
