import type { StoredEntry } from '../entry/log-entry.ts';
import type { ReadableFile } from '../lines/log-files.ts';
import { decodeLine, toStoredEntry } from '../lines/record-line.ts';
import type { LineSegment, LogPlace, ParquetSegment, Segment } from '../ports/segment.ts';
import type { LogEngine } from '../processes/log-engine/create-log-engine.ts';
import type { LogNames } from '../processes/log-engine/entry-columns.ts';
import type { ParquetFiles } from '../segments/open-parquet.ts';
import type { FilterBounds } from './filter/filter-bounds.ts';
import type { RequiredTokens } from './filter/required-tokens.ts';
import type { SqlCondition } from './filter/to-sql.ts';

/** A filter, compiled for each form in which entries are stored. */
export interface EntryFilter {
  /** False for a line that cannot match; see `createLineGuard`. */
  mayFit(line: Buffer): boolean;
  fits(entry: StoredEntry): boolean;
  /** Absent where every entry matches. */
  readonly where?: SqlCondition;
  /** Tokens by which parts of Parquet segments are skipped. */
  readonly tokens?: RequiredTokens | undefined;
  /** True where every entry matches. */
  readonly isAll: boolean;
  /** Bounds of every matching entry, by which whole segments are skipped; see `boundsOf`. */
  readonly bounds: FilterBounds;
}

/** The segments that a query reads, and the filter on their entries. */
export interface ReadSource {
  /** Opens the lines of a segment. @throws the system's `ENOENT` when they are gone. */
  openLines(segment: LineSegment): Promise<ReadableFile>;
  readonly place: LogPlace;
  /** Reads the Parquet segments. */
  readonly parquet: ParquetFiles | undefined;
  /** Oldest first. */
  readonly segments: readonly Segment[];
  /** The scope tag is part of the entries' ids. */
  readonly names: LogNames;
  readonly filter: EntryFilter;
  readonly signal?: AbortSignal | undefined;
}

/** Returns a function that reads a line: its entry, or undefined when the line is damaged or the entry does not match. */
export function createLineReader({
  filter,
  names,
  signal,
}: Pick<ReadSource, 'filter' | 'names' | 'signal'>): (line: Buffer) => StoredEntry | undefined {
  return (line) => {
    signal?.throwIfAborted();
    const fields = filter.mayFit(line) ? decodeLine(line) : undefined;
    const entry = fields && toStoredEntry(fields, names.scopeTag);
    return entry && filter.fits(entry) ? entry : undefined;
  };
}

/** Keeps Parquet segments as files on this machine while `work` runs; `paths` are in the order of `segments`. */
export async function withParquetFiles<Result>(
  { parquet, place, signal }: Pick<ReadSource, 'parquet' | 'place' | 'signal'>,
  segments: readonly ParquetSegment[],
  work: (engine: Pick<LogEngine, 'select' | 'count' | 'survey'>, paths: readonly string[]) => Promise<Result>,
): Promise<Result> {
  if (!parquet) throw new Error('the log has Parquet segments, but no engine to read them');
  using held = await parquet.storage.hold(place, segments, signal);
  return await work(parquet.engine, held.paths);
}
