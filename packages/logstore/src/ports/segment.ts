/** Whose log, by the names of its folders; see `scopeFolder`. */
export interface LogPlace {
  readonly account: string;
  readonly deployment: string;
}

/** A file of lines on this machine. Only the last segment of a log grows, and it is one of these. */
export interface LineSegment {
  readonly kind: 'lines';
  /** Absolute. */
  readonly path: string;
  /** Its entries are at this time or later, and before that of the segment after it. */
  readonly startsAt: string;
  /** Bytes that hold whole lines; what a failed write left after them is not to be read. */
  readonly sizeBytes: number;
}

/** What a Parquet file holds. */
export interface SegmentSummary {
  /** Of its first and last entry. */
  readonly startsAt: string;
  readonly endsAt: string;
  readonly rows: number;
  /** A bit for each severity that is in it: 1 << its place in SEVERITIES. */
  readonly severities: number;
}

/** A Parquet file in an object store: whole, and never changed. */
export interface ParquetSegment extends SegmentSummary {
  readonly kind: 'parquet';
  /** Its path in the log's place of the store; made of its times. */
  readonly key: string;
  /** Name of the object store that it is in. */
  readonly store: string;
  readonly sizeBytes: number;
}

export type Segment = LineSegment | ParquetSegment;

/** Segments, oldest first. Releasing twice does nothing more. */
export interface HeldSegments {
  readonly segments: readonly Segment[];
  release(): void;
}

/** Oldest first; of two that begin together, the one of parquet. */
export function compareSegments(left: Segment, right: Segment): number {
  if (left.startsAt !== right.startsAt) return left.startsAt < right.startsAt ? -1 : 1;
  return Number(left.kind === 'lines') - Number(right.kind === 'lines');
}
