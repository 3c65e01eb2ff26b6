import { timestampMs } from '../entry/timestamp.ts';
import type { FileLogLimits } from '../limits/file-log-limits.ts';
import type { LineSegment, ParquetSegment, Segment } from '../ports/segment.ts';

/** Input of one Parquet segment: a line segment, adjacent Parquet segments, or one in a former store. */
export type CompactionJob =
  | { readonly from: 'lines'; readonly sources: readonly [LineSegment] }
  | { readonly from: 'parquet'; readonly sources: readonly ParquetSegment[] }
  | { readonly from: 'elsewhere'; readonly sources: readonly [ParquetSegment] };

/** Number of small Parquet segments merged at once: an entry is rewritten once for every power of it. */
const MERGED = 8;

export interface CompactionLimits extends Pick<FileLogLimits, 'segmentBytes' | 'maxBytes'> {
  /** How long entries are kept. */
  readonly maxAgeMs: number;
}

/**
 * Returns the next job of a log: its oldest full line segment; else the newest {@link MERGED} adjacent small Parquet
 * segments; else the newest segment that is not in `store`; undefined when nothing is to be done. Every segment but the
 * last is full.
 */
export function planCompaction(
  segments: readonly Segment[],
  limits: CompactionLimits,
  store: string,
): CompactionJob | undefined {
  const full = segments.slice(0, -1);
  const lines = full.find((segment) => segment.kind === 'lines' && segment.sizeBytes > 0);
  if (lines?.kind === 'lines') return { from: 'lines', sources: [lines] };
  for (let end = full.length; end >= MERGED; end--) {
    const sources = full.slice(end - MERGED, end).filter((one) => one.kind === 'parquet');
    if (sources.length === MERGED && mayMerge(sources, limits)) return { from: 'parquet', sources };
  }
  const elsewhere = segments.findLast((one) => one.kind === 'parquet' && one.store !== store);
  return elsewhere?.kind === 'parquet' ? { from: 'elsewhere', sources: [elsewhere] } : undefined;
}

/** Retention removes whole segments, by size and by age: one must stay a small part of what is kept. */
function mayMerge(sources: readonly ParquetSegment[], limits: CompactionLimits): boolean {
  const bytes = sources.reduce((sum, one) => sum + one.sizeBytes, 0);
  const [first, last] = [sources[0], sources.at(-1)];
  const spanMs = first && last ? timestampMs(last.endsAt) - timestampMs(first.startsAt) : 0;
  const isSmall = sources.every((one) => one.sizeBytes < limits.segmentBytes);
  return isSmall && bytes <= limits.maxBytes / MERGED && spanMs <= limits.maxAgeMs / MERGED;
}
