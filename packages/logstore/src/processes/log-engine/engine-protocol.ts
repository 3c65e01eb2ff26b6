import type { Severity } from '@berth/contract';
import type { FieldSurvey } from '../../entry/create-field-tally.ts';
import type { StoredEntry } from '../../entry/log-entry.ts';
import type { CountOptions } from '../../ports/log-store.ts';
import type { SegmentSummary } from '../../ports/segment.ts';
import type { RequiredTokens } from '../../query/filter/required-tokens.ts';
import type { SqlCondition } from '../../query/filter/to-sql.ts';
import type { LogNames } from './entry-columns.ts';

/** Writes one Parquet file from one line segment, or from several Parquet segments. All paths are absolute. */
export interface WriteRequest {
  /** `lines`: one source. `parquet`: sources in order of time, which the new file keeps. */
  readonly from: 'lines' | 'parquet';
  readonly sources: readonly string[];
  /** Bytes of a line source to write; all of them when absent. */
  readonly range?: { readonly start: number; readonly end: number };
  /** Path of the new file, in an existing folder. Not synced to disk. */
  readonly target: string;
  /** True for a short-lived file that only SQL reads: it gets no token index. */
  readonly isCopy?: boolean;
}

/** A segment's file, and the timestamps of its first and last entry. */
export interface SelectFile extends Pick<SegmentSummary, 'startsAt' | 'endsAt'> {
  readonly path: string;
}

/** Reads entries of one log from Parquet files. */
export interface SelectRequest {
  /** In any order; fastest in that of `from`. */
  readonly files: readonly SelectFile[];
  readonly names: LogNames;
  /** Only entries after this timestamp. */
  readonly since?: string | undefined;
  readonly where?: SqlCondition | undefined;
  /** Tokens that `where` requires; parts of files without them are not read. */
  readonly tokens?: RequiredTokens | undefined;
  /** The end of the files from which the `limit` entries come. */
  readonly from: 'oldest' | 'newest';
  readonly limit: number;
  /** Maximum characters of message and payload; at least one entry is returned. */
  readonly answerBytes: number;
}

export interface SelectResult {
  /** In the order of `from`. */
  readonly entries: readonly StoredEntry[];
  /** True when `answerBytes` ended the result. */
  readonly isCut: boolean;
}

/** Counts entries of one log in Parquet files. */
export interface CountRequest {
  /** Paths. */
  readonly files: readonly string[];
  readonly names: LogNames;
  readonly span: Pick<CountOptions, 'fromMs' | 'untilMs' | 'buckets'>;
  readonly where?: SqlCondition | undefined;
  /** Tokens that `where` requires; parts of files without them are not read. */
  readonly tokens?: RequiredTokens | undefined;
}

/** Number of entries of one severity in a part of the span, whose parts count from 0. */
export interface BucketCount {
  readonly bucket: number;
  readonly severity: Severity;
  readonly entries: number;
}

/** Tallies the fields of entries of one log in Parquet files. */
export interface SurveyRequest extends Omit<CountRequest, 'span'> {
  readonly span: Pick<CountOptions, 'fromMs' | 'untilMs'>;
  /** Maximum entries read from each file. */
  readonly entriesPerFile: number;
}

/** The engine's work by the kind of a request: what it is given, and what it returns. */
export interface EngineWork {
  /** Undefined, with no file written, when the sources hold no entry. */
  write(request: WriteRequest): SegmentSummary | undefined;
  /** Undefined when the file at `path` has no rows. */
  inspect(path: string): SegmentSummary | undefined;
  select(request: SelectRequest): SelectResult;
  count(request: CountRequest): readonly BucketCount[];
  survey(request: SurveyRequest): FieldSurvey;
}

export type EngineKind = keyof EngineWork;
export type EngineRequest<Kind extends EngineKind = EngineKind> = Parameters<EngineWork[Kind]>[0];
export type EngineResult<Kind extends EngineKind = EngineKind> = ReturnType<EngineWork[Kind]>;

/** A message from the parent process. */
export type EngineMessage =
  | { readonly id: number; readonly kind: EngineKind; readonly request: EngineRequest }
  | { readonly cancel: number };

/** A message from the engine's process. */
export type EngineAnswer =
  | { readonly id: number; readonly result: EngineResult }
  | { readonly id: number; readonly error: { readonly message: string; readonly code?: string } };
