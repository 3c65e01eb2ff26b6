/** Identifies a log by the names of its folders; see `scopeFolder`. */
export interface LogPlace {
  readonly account: string;
  readonly deployment: string;
}

/** Lines: a file on this machine, or blocks of a log database. The last segment of a log is one, and the only segment that grows. */
export interface LineSegment {
  readonly kind: 'lines';
  /** Absolute path of the file; the name of the first block. */
  readonly path: string;
  /** Entries are at this time or later, and before the next segment's `startsAt`. */
  readonly startsAt: string;
  /** Size of the whole lines. Bytes after them are left from a failed write and must not be read. */
  readonly sizeBytes: number;
  /** The blocks that hold the lines, oldest first; absent for a file. */
  readonly blocks?: readonly LogBlock[];
  /** Contents of the blocks; absent for a file. */
  readonly summary?: SegmentSummary;
}

/** Contents of a Parquet segment or a block. */
export interface SegmentSummary {
  /** Timestamps of the first and last entry. */
  readonly startsAt: string;
  readonly endsAt: string;
  readonly rows: number;
  /** Bit set of the severities in it: 1 << the severity's index in SEVERITIES. */
  readonly severities: number;
}

/** Some lines of a log, stored in a log database. */
export interface LogBlock extends SegmentSummary {
  /** Size of the lines, uncompressed. */
  readonly sizeBytes: number;
}

/** A Parquet file in an object store; immutable. */
export interface ParquetSegment extends SegmentSummary {
  readonly kind: 'parquet';
  /** Object key within the log's folder of the store; made from its timestamps. */
  readonly key: string;
  /** Name of the object store. */
  readonly store: string;
  readonly sizeBytes: number;
}

export type Segment = LineSegment | ParquetSegment;

/** Returns the path of a line segment, or the key of a Parquet segment; unique within its log. */
export function nameOf(segment: Segment): string {
  return segment.kind === 'lines' ? segment.path : segment.key;
}

/** Segments, oldest first, whose files stay until disposed of. Disposal is idempotent. */
export interface HeldSegments extends Disposable {
  readonly segments: readonly Segment[];
}

/** Orders segments oldest first; of two that start together, the Parquet segment comes first. */
export function compareSegments(left: Segment, right: Segment): number {
  if (left.startsAt !== right.startsAt) return left.startsAt < right.startsAt ? -1 : 1;
  return Number(left.kind === 'lines') - Number(right.kind === 'lines');
}
