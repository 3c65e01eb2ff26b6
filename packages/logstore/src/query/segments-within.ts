import { timestampMs } from '../entry/timestamp.ts';
import type { SpanOptions } from '../ports/log-store.ts';
import type { Segment, SegmentSummary } from '../ports/segment.ts';
import { type FilterBounds, UNBOUNDED } from './filter/filter-bounds.ts';

/** Returns the segments that may have entries of a span, oldest first. */
export function segmentsWithin({
  segments,
  span,
}: {
  readonly segments: readonly Segment[];
  readonly span: Pick<SpanOptions, 'fromMs' | 'untilMs'>;
}): readonly Segment[] {
  return segments.filter((segment, index) => {
    // A line segment ends where the next one starts.
    const endsAt = segment.kind === 'parquet' ? segment.endsAt : segments[index + 1]?.startsAt;
    return timestampMs(segment.startsAt) < span.untilMs && (endsAt === undefined || timestampMs(endsAt) >= span.fromMs);
  });
}

/** Returns false when no entry of the segment is within the bounds. */
export function mayHold(segment: SegmentSummary, { from, until, severities }: FilterBounds): boolean {
  // Entries of unknown severity have no bit, and match where severity is not part of the filter.
  const isAnySeverity = severities === UNBOUNDED.severities;
  return (
    segment.endsAt >= from && segment.startsAt <= until && (isAnySeverity || (segment.severities & severities) !== 0)
  );
}
