import type { LogPlace, ParquetSegment } from './segment.ts';

/** A change to the cataloged Parquet segments of one log. */
export interface CatalogueChange {
  readonly add: readonly ParquetSegment[];
  /** Keys to remove, before `add` is added. Unknown keys are ignored. */
  readonly remove: readonly string[];
}

/** The end of a log's oldest Parquet segment. */
export interface OldestSegment {
  readonly place: LogPlace;
  readonly endsAt: string;
}

/**
 * The authority on which Parquet segments exist: a segment is part of its log exactly while it is listed here, whatever
 * objects a store holds.
 */
export interface SegmentCatalogue {
  /** Returns the segments of one log, oldest first. */
  list(place: LogPlace): Promise<readonly ParquetSegment[]>;
  /** Returns the folder names of an account's logs that have a segment here, sorted. */
  deployments(account: string): Promise<readonly string[]>;
  /** Applies a change atomically. Durable when it resolves. */
  change(place: LogPlace, change: CatalogueChange): Promise<void>;
  /** Returns the oldest segment of every log that has one, in no order. */
  oldest(): Promise<readonly OldestSegment[]>;
}
