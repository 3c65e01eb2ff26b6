import type { LogHistogram } from '@berth/contract';
import { groupOf, type SeverityGroup } from './severities.ts';

/** Entries that begin a step of time. */
export interface Bucket extends Readonly<Record<SeverityGroup, number>> {
  readonly atMs: number;
}

export interface Histogram {
  readonly stepMs: number;
  readonly buckets: readonly Bucket[];
  /** The highest bucket's entries; at least 1. */
  readonly most: number;
}

/** Entries of one severity in the step that begins `at`, seconds since the epoch. */
export interface CountRow {
  readonly at: number;
  readonly severity: string;
  readonly n: number;
}

const SECOND = 1_000;
const STEPS_MS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400].map(
  (seconds) => seconds * SECOND,
);
const BUCKETS_MOST = 72;

/** The smallest round step that a span has at most 72 of. */
export function chooseStep(spanMs: number): number {
  return (
    STEPS_MS.find((stepMs) => spanMs / stepMs <= BUCKETS_MOST) ?? Math.ceil(spanMs / BUCKETS_MOST / SECOND) * SECOND
  );
}

/** Every step of the range, also those without an entry. What lies outside is left out. */
export function toHistogram(rows: Iterable<CountRow>, fromMs: number, toMs: number): Histogram {
  const stepMs = chooseStep(toMs - fromMs);
  const firstMs = Math.floor(fromMs / stepMs) * stepMs;
  const buckets = Array.from({ length: Math.max(1, Math.ceil((toMs - firstMs) / stepMs)) }, (_, index) => ({
    atMs: firstMs + index * stepMs,
    error: 0,
    warning: 0,
    info: 0,
  }));
  for (const { at, severity, n } of rows) {
    const bucket = buckets[Math.floor((at * SECOND - firstMs) / stepMs)];
    if (bucket) bucket[groupOf(severity)] += Number(n);
  }
  return {
    stepMs,
    buckets,
    most: Math.max(1, ...buckets.map(sumOf)),
  };
}

/** Whole steps of a range, as the API is asked for them. */
export function stepsOf(fromMs: number, toMs: number) {
  const { stepMs, buckets } = toHistogram([], fromMs, toMs);
  const firstMs = buckets[0]?.atMs ?? fromMs;
  const time = (ms: number) => new Date(ms).toISOString();
  return { since: time(firstMs), until: time(firstMs + buckets.length * stepMs), buckets: buckets.length };
}

/** What the API counted, as rows. */
export function readCounts({ buckets }: Pick<LogHistogram, 'buckets'>): CountRow[] {
  return buckets.flatMap(({ time, counts }) =>
    Object.entries(counts).map(([severity, n]) => ({ at: Date.parse(time) / SECOND, severity, n: n ?? 0 })),
  );
}

/** Two steps that a person drew over, in whichever direction, as a range. */
export function brushRange({ buckets, stepMs }: Histogram, one: number, other: number) {
  const first = buckets[Math.max(0, Math.min(one, other))] as Bucket;
  const last = buckets[Math.min(buckets.length - 1, Math.max(one, other))] as Bucket;
  return { from: new Date(first.atMs).toISOString(), to: new Date(last.atMs + stepMs).toISOString() };
}

/** Steps that are marked; both are part of it. */
export interface Brush {
  /** Where it began. */
  readonly anchor: number;
  /** Where it is now. */
  readonly head: number;
}

/**
 * What an arrow, Home or End makes of a brush: moves it to one step, or with Shift extends it. Undefined for other keys.
 */
export function moveBrush(
  brush: Brush | undefined,
  { key, shiftKey }: { readonly key: string; readonly shiftKey: boolean },
  count: number,
): Brush | undefined {
  const last = count - 1;
  const head = brush?.head ?? last + 1;
  const moved = { ArrowLeft: head - 1, ArrowRight: brush ? head + 1 : last, Home: 0, End: last }[key];
  if (moved === undefined) return undefined;
  const next = Math.min(Math.max(moved, 0), last);
  return { anchor: shiftKey ? (brush?.anchor ?? next) : next, head: next };
}

/** Entries of a bucket, of all severities. */
export function sumOf({ error, warning, info }: Bucket): number {
  return error + warning + info;
}
