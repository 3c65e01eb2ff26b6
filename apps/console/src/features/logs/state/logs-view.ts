import type { Severity } from '@berth/contract';
import { SEVERITY_ORDER } from './severities.ts';

/** Spans back from now that a view can have, and their milliseconds. */
export const SPANS = {
  '15m': 900_000,
  '1h': 3_600_000,
  '6h': 21_600_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
  '30d': 2_592_000_000,
} as const;

export type Span = keyof typeof SPANS;

/** Times of the log that are shown: back from now, or between two RFC 3339 times. */
export type Range = { readonly last: Span } | { readonly from: string; readonly to: string };

/** All that decides what the page of logs shows. It is in the address, so that a link leads to exactly this. */
export interface LogsView {
  readonly deployment: string;
  /** In the language of docs/guides/log-filters.md. */
  readonly filter: string;
  readonly range: Range;
  /** Only entries of this severity or above. */
  readonly severity: Severity;
  /** Timestamp, and so the cursor, of the entry that is expanded. */
  readonly entry: string | undefined;
  readonly isLive: boolean;
}

const DEFAULT_SPAN: Span = '1h';

/** The view that the parameters of an address tell; what they don't, or can't be, is the usual. */
export function parseLogsView(search: Readonly<Record<string, unknown>>): LogsView {
  const text = (name: string) => (search[name] === undefined ? '' : String(search[name]));
  const range = parseRange(text('range'), text('from'), text('to')) ?? { last: DEFAULT_SPAN };
  return {
    deployment: text('deployment'),
    filter: text('filter'),
    range,
    severity: SEVERITY_ORDER.find((one) => one === text('severity')) ?? 'DEFAULT',
    entry: isTime(text('entry')) ? text('entry') : undefined,
    isLive: text('live') === 'on' && 'last' in range,
  };
}

/** The parameters of a view, without those that are the usual. */
export function toLogsSearch(view: LogsView): Record<string, string> {
  return {
    ...(view.deployment !== '' && { deployment: view.deployment }),
    ...(view.filter !== '' && { filter: view.filter }),
    ...(!('last' in view.range && view.range.last === DEFAULT_SPAN) && toRangeSearch(view.range)),
    ...(view.severity !== 'DEFAULT' && { severity: view.severity }),
    ...(view.entry !== undefined && { entry: view.entry }),
    ...(view.isLive && { live: 'on' }),
  };
}

/** The range in epoch milliseconds. */
export function rangeMs(range: Range, nowMs: number): { readonly fromMs: number; readonly toMs: number } {
  if ('last' in range) return { fromMs: nowMs - SPANS[range.last], toMs: nowMs };
  return { fromMs: Date.parse(range.from), toMs: Date.parse(range.to) };
}

/** The range that parameters of an address tell; undefined where they tell none. */
export function parseRange(last: string, from: string, to: string): Range | undefined {
  if (isTime(from) && isTime(to) && Date.parse(from) < Date.parse(to)) return { from, to };
  return Object.hasOwn(SPANS, last) ? { last: last as Span } : undefined;
}

/** The parameters that tell a range. */
export function toRangeSearch(range: Range): Record<string, string> {
  return 'last' in range ? { range: range.last } : { from: range.from, to: range.to };
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(text) && !Number.isNaN(Date.parse(text));
}
