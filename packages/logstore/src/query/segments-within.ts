import { timestampMs } from '../entry/timestamp.ts';
import type { SpanOptions } from '../ports/log-store.ts';
import type { Segment, SegmentSummary } from '../ports/segment.ts';
import { type FilterBounds, UNBOUNDED } from './filter/filter-bounds.ts';

/** Segments that may have entries of a span, oldest first. */
export function segmentsWithin({
  segments,
  span,
}: {
  readonly segments: readonly Segment[];
  readonly span: Pick<SpanOptions, 'fromMs' | 'untilMs'>;
}): readonly Segment[] {
  return segments.filter((segment, index) => {
    // Where a line segment ends is known by the next one alone.
    const endsAt = segment.kind === 'parquet' ? segment.endsAt : segments[index + 1]?.startsAt;
    return timestampMs(segment.startsAt) < span.untilMs && (endsAt === undefined || timestampMs(endsAt) >= span.fromMs);
  });
}

/** False when no entry of the segment is within the bounds. */
export function mayHold(segment: SegmentSummary, { from, until, severities }: FilterBounds): boolean {
  // An entry of no known severity has no bit, and fits where severity isn't asked about.
  const isAnySeverity = severities === UNBOUNDED.severities;
  return (
    segment.endsAt >= from && segment.startsAt <= until && (isAnySeverity || (segment.severities & severities) !== 0)
  );
}
