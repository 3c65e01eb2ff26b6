import type { FileLogLimits } from './file-log-limits.ts';
import type { Segment } from './segment-writer.ts';

/** Neighbouring segments that become one of columns. */
export interface RollJob {
  readonly from: 'lines' | 'columns';
  readonly sources: readonly Segment[];
}

/** Small segments of columns that are joined at once: each entry is written again once for every power of this. */
const JOINED = 8;

/**
 * What is to be done next to a log: its oldest full segment of lines, else the newest {@link JOINED} neighbours of
 * columns that are all small; undefined when there is nothing. Every segment but the last is full.
 */
export function planRoll(
  segments: readonly Segment[],
  limits: Pick<FileLogLimits, 'segmentBytes' | 'maxBytes'>,
): RollJob | undefined {
  const full = segments.slice(0, -1);
  const lines = full.find((segment) => segment.endsAt === undefined && segment.sizeBytes > 0);
  if (lines) return { from: 'lines', sources: [lines] };
  // Whole segments are dropped by size: one must stay a small part of the log.
  const joinedBytesMax = limits.maxBytes / JOINED;
  for (let end = full.length; end >= JOINED; end--) {
    const sources = full.slice(end - JOINED, end);
    const isSmall = sources.every((one) => one.endsAt !== undefined && one.sizeBytes < limits.segmentBytes);
    const bytes = sources.reduce((sum, one) => sum + one.sizeBytes, 0);
    if (isSmall && bytes <= joinedBytesMax) return { from: 'columns', sources };
  }
  return undefined;
}
