import type { LogPlace, ParquetSegment } from './segment.ts';

/** What is to be true of a log's Parquet segments from now on. */
export interface CatalogueChange {
  readonly add: readonly ParquetSegment[];
  /** Keys; those that are not there are fine. Removed before `add` is added. */
  readonly remove: readonly string[];
}

/** The end of a log's oldest Parquet segment. */
export interface OldestSegment {
  readonly place: LogPlace;
  readonly endsAt: string;
}

/**
 * Which Parquet segments there are: a segment is part of its log from the moment it is here until the moment it is not,
 * whatever files lie about.
 */
export interface SegmentCatalogue {
  /** Of one log, oldest first. */
  list(place: LogPlace): Promise<readonly ParquetSegment[]>;
  /** Names of the folders of an account's logs that have a segment here, sorted. */
  deployments(account: string): Promise<readonly string[]>;
  /** All of it or nothing, and durable when it resolves. */
  change(place: LogPlace, change: CatalogueChange): Promise<void>;
  /** One for each log that has a segment here, in no order. */
  oldest(): Promise<readonly OldestSegment[]>;
}
