import { timestampMs } from '../entry/timestamp.ts';
import type { Segment } from '../ports/segment.ts';

/**
 * Returns how many of the oldest segments exceed the size or age of a log. The last one is never counted.
 * @param keptFromMs entries at this time or before are too old.
 */
export function countSurplus(segments: readonly Segment[], maxBytes: number, keptFromMs: number): number {
  let totalBytes = segments.reduce((sum, segment) => sum + segment.sizeBytes, 0);
  let count = 0;
  for (; count < segments.length - 1; count++) {
    const segment = segments[count] as Segment;
    const end = segment.kind === 'parquet' ? segment.endsAt : (segments[count + 1] as Segment).startsAt;
    if (totalBytes <= maxBytes && timestampMs(end) > keptFromMs) break;
    totalBytes -= segment.sizeBytes;
  }
  return count;
}
