import type { LogHistogram } from '@berth/contract';
import { groupOf, type SeverityGroup } from './severities.ts';

/** Entry counts of one time step, by severity group. */
export interface Bucket extends Readonly<Record<SeverityGroup, number>> {
  readonly atMs: number;
}

/** Entry counts over time in equal steps. */
export interface Histogram {
  readonly stepMs: number;
  readonly buckets: readonly Bucket[];
  /** Entry count of the highest bucket; at least 1. */
  readonly most: number;
}

/** Number of entries of one severity in the step that starts `at`, in epoch seconds. */
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

/** Returns the smallest round step that divides a span into at most 72. */
export function chooseStep(spanMs: number): number {
  return (
    STEPS_MS.find((stepMs) => spanMs / stepMs <= BUCKETS_MOST) ?? Math.ceil(spanMs / BUCKETS_MOST / SECOND) * SECOND
  );
}

/** Returns all steps of the range, including empty ones. Ignores rows outside the range. */
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

/** Returns the range widened to whole steps, as the API expects it. */
export function stepsOf(fromMs: number, toMs: number) {
  const { stepMs, buckets } = toHistogram([], fromMs, toMs);
  const firstMs = buckets[0]?.atMs ?? fromMs;
  const time = (ms: number) => new Date(ms).toISOString();
  return { since: time(firstMs), until: time(firstMs + buckets.length * stepMs), buckets: buckets.length };
}

/** Returns the API's counts as rows. */
export function readCounts({ buckets }: Pick<LogHistogram, 'buckets'>): CountRow[] {
  return buckets.flatMap(({ time, counts }) =>
    Object.entries(counts).map(([severity, n]) => ({ at: Date.parse(time) / SECOND, severity, n: n ?? 0 })),
  );
}

/** Returns the time range between two selected steps, in either order. */
export function brushRange({ buckets, stepMs }: Histogram, one: number, other: number) {
  const first = buckets[Math.max(0, Math.min(one, other))] as Bucket;
  const last = buckets[Math.min(buckets.length - 1, Math.max(one, other))] as Bucket;
  return { from: new Date(first.atMs).toISOString(), to: new Date(last.atMs + stepMs).toISOString() };
}

/** A selection of steps; both ends are inclusive. */
export interface Brush {
  /** Index of the step where the selection began. */
  readonly anchor: number;
  /** Index of the step at the moving end. */
  readonly head: number;
}

/**
 * Returns the selection after an arrow key, Home or End: moved to one step, or with Shift extended. Undefined for other
 * keys.
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

/** Returns the total number of entries of a bucket. */
export function sumOf({ error, warning, info }: Bucket): number {
  return error + warning + info;
}
