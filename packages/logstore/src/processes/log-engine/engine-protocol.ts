import type { Severity } from '@berth/contract';
import type { FieldSurvey } from '../../entry/create-field-tally.ts';
import type { StoredEntry } from '../../entry/log-entry.ts';
import type { CountOptions } from '../../ports/log-store.ts';
import type { SegmentSummary } from '../../ports/segment.ts';
import type { SqlCondition } from '../../query/filter/to-sql.ts';
import type { LogNames } from './entry-columns.ts';

/** Makes one Parquet file of segments: of one line segment, or of several of parquet. All paths absolute. */
export interface WriteRequest {
  readonly kind: 'write';
  /** `lines`: one file. `columns`: in the order of time, which the new file keeps. */
  readonly from: 'lines' | 'parquet';
  readonly sources: readonly string[];
  /** The bytes of a source of lines that are wanted; all of them when absent. */
  readonly range?: { readonly start: number; readonly end: number };
  /** The file to make, in a folder that is there. Not forced to the disk. */
  readonly target: string;
}

/** Undefined, and no file, when the sources hold no entry. */
export type WriteResult = SegmentSummary | undefined;

/** Tells what a Parquet segment holds. */
export interface InspectRequest {
  readonly kind: 'inspect';
  readonly path: string;
}

/** A segment, and the times of its first and last entry. */
export interface SelectFile extends Pick<SegmentSummary, 'startsAt' | 'endsAt'> {
  readonly path: string;
}

/** Reads entries of one log out of Parquet files. */
export interface SelectRequest {
  readonly kind: 'select';
  readonly files: readonly SelectFile[];
  readonly names: LogNames;
  /** Only entries after this timestamp. */
  readonly since?: string | undefined;
  readonly where?: SqlCondition | undefined;
  /** Which end of the files the `limit` entries come from. */
  readonly from: 'oldest' | 'newest';
  readonly limit: number;
  /** Characters of message and payload after which the answer ends; at least one entry is answered. */
  readonly answerBytes: number;
}

export interface SelectResult {
  /** In the order of `from`. */
  readonly entries: readonly StoredEntry[];
  /** `answerBytes` ended it. */
  readonly isCut: boolean;
}

/** Counts entries of one log in Parquet files. */
export interface CountRequest {
  readonly kind: 'count';
  /** Paths. */
  readonly files: readonly string[];
  readonly names: LogNames;
  readonly span: Pick<CountOptions, 'fromMs' | 'untilMs' | 'buckets'>;
  readonly where?: SqlCondition | undefined;
}

export interface CountResult {
  readonly counts: readonly { readonly bucket: number; readonly severity: Severity; readonly entries: number }[];
}

/** Tallies the fields of entries of one log in Parquet files. */
export interface SurveyRequest extends Omit<CountRequest, 'kind' | 'span'> {
  readonly kind: 'survey';
  readonly span: Pick<CountOptions, 'fromMs' | 'untilMs'>;
  /** Most that are looked at of each file. */
  readonly entriesPerFile: number;
}

export interface SurveyResult {
  readonly survey: FieldSurvey;
}

export type EngineRequest = WriteRequest | InspectRequest | SelectRequest | CountRequest | SurveyRequest;
export type EngineResult = WriteResult | SelectResult | CountResult | SurveyResult;

/** What the parent process sends. */
export type EngineMessage = { readonly id: number; readonly request: EngineRequest } | { readonly cancel: number };

/** What the engine's process answers. */
export type EngineAnswer =
  | { readonly id: number; readonly result: EngineResult }
  | { readonly id: number; readonly error: { readonly message: string; readonly code?: string } };
