import type { Severity } from '@berth/contract';
import type { FieldSurvey } from '../entry/create-field-tally.ts';
import type { LogInput, LogScope, StoredEntry } from '../entry/log-entry.ts';
import type { LogFilter } from '../query/filter/log-filter.ts';

export interface ReadOptions {
  /** Only entries after this time: any RFC 3339 time, usually the cursor of an earlier result. */
  readonly since?: string;
  /**
   * Maximum entries returned, 1 to 1000: the oldest after `since`, or the newest when that is absent. Both are returned
   * oldest first. A store may return fewer when they would take many megabytes, but at least one when there is one.
   */
  readonly limit: number;
  /** Only entries that match; `limit` counts those. */
  readonly filter?: LogFilter;
  readonly signal?: AbortSignal;
}

export interface TailOptions {
  /** Start after this time. Default: now. */
  readonly since?: string;
  /** Only entries that match. */
  readonly filter?: LogFilter;
  readonly signal: AbortSignal;
}

/** A time span, in whole milliseconds since the epoch. */
export interface SpanOptions {
  readonly fromMs: number;
  /** Exclusive; after `fromMs`. */
  readonly untilMs: number;
  /** Only entries that match. */
  readonly filter?: LogFilter;
  readonly signal?: AbortSignal;
}

export interface CountOptions extends SpanOptions {
  /** Number of equal parts that the span is divided into, at least 1. */
  readonly buckets: number;
  /** Time budget in milliseconds: counting stops soon after it, wherever it is. */
  readonly budgetMs: number;
}

/** Numbers of entries. */
export interface LogCounts {
  /** Counts of each part of the span, oldest first. Severities without an entry are absent. */
  readonly buckets: readonly Readonly<Partial<Record<Severity, number>>>[];
  /** Set when the time budget ran out: entries later than this are not counted. */
  readonly countedUntil?: string;
}

/** The durable, ordered logs of all deployments. */
export interface LogStore {
  /**
   * Appends entries in order. They are visible to {@link read} and {@link tail} at once, and on disk within a second.
   * Never throws: entries that can't be kept are counted, and the log itself reports them.
   * A returned promise is back-pressure: await it before appending more to this scope.
   */
  append(scope: LogScope, entries: readonly LogInput[]): void | Promise<void>;
  /**
   * Returns entries, oldest first.
   * @throws BerthError `unavailable` when the store can't be read.
   * @throws RangeError when `since` is not an RFC 3339 time.
   */
  read(scope: LogScope, options: ReadOptions): Promise<readonly StoredEntry[]>;
  /**
   * Follows a log from the time of the call. Ends when the signal aborts or the store closes.
   * @throws BerthError `unavailable` during iteration, when the store can't be read.
   */
  tail(scope: LogScope, options: TailOptions): AsyncIterable<StoredEntry>;
  /** Counts matching entries by time and severity. @throws BerthError `unavailable` when the store can't be read. */
  count(scope: LogScope, options: CountOptions): Promise<LogCounts>;
  /**
   * Returns the fields of entries and their values: of all entries of a span, or of a sample of some thousand over all
   * of it.
   * @throws BerthError `unavailable` when the store can't be read.
   */
  survey(scope: LogScope, options: SpanOptions): Promise<FieldSurvey>;
  /**
   * Resolves when everything appended before the call is on disk.
   * @throws BerthError `unavailable` when the disk did not take or confirm all of it.
   */
  flush(): Promise<void>;
  /** Flushes, ends every tail, and drops entries appended later. Idempotent. */
  close(): Promise<void>;
}

/** All entries of an account at one moment, as files that don't change until the snapshot is released. */
export interface LogSnapshot {
  /** Identifies the account in the entries' ids; see `scopeFolder`. */
  readonly accountFolder: string;
  /** Absolute paths of Parquet files: `…/<account folder>/<deployment folder>/<segment>`. */
  readonly files: readonly string[];
  /**
   * Folders that hold nothing but files of this account's logs; every file in {@link files} is below one of them. They
   * may not exist.
   */
  readonly folders: readonly string[];
  readonly bytes: number;
  /** Lets the files be removed. Idempotent. */
  release(): void;
}

/** A log store whose entries are available as files. */
export interface FileLogStore extends LogStore {
  /** Number of segments found missing or damaged since the store was opened. Results leave their entries out. */
  readonly damagedSegments: number;
  /**
   * Returns every entry of an account that was appended before the call. The caller must release the snapshot.
   * @param isExamined true opens each file, and leaves out those that can't be read.
   * @throws BerthError `unavailable` when the snapshot can't be made.
   */
  snapshot(account: string, isExamined?: boolean): Promise<LogSnapshot>;
}
