import type { Severity } from '@berth/contract';
import type { FieldSurvey } from '../entry/create-field-tally.ts';
import type { LogInput, LogScope, StoredEntry } from '../entry/log-entry.ts';
import type { LogFilter } from '../query/filter/log-filter.ts';

export interface ReadOptions {
  /** Only entries after this instant: any RFC 3339 time, typically a cursor of an earlier answer. */
  readonly since?: string;
  /**
   * 1 to 1000. With `since` the oldest after it, without the newest; both come oldest first. A store may answer fewer
   * where they would take many megabytes, but never none where there is one.
   */
  readonly limit: number;
  /** Only entries that fit; `limit` counts those. */
  readonly filter?: LogFilter;
  readonly signal?: AbortSignal;
}

export interface TailOptions {
  /** Start after this instant; now, when absent. */
  readonly since?: string;
  /** Only entries that fit. */
  readonly filter?: LogFilter;
  readonly signal: AbortSignal;
}

/** Entries of a span of time, whole milliseconds since the epoch. */
export interface SpanOptions {
  readonly fromMs: number;
  /** Not itself; after `fromMs`. */
  readonly untilMs: number;
  /** Only entries that fit. */
  readonly filter?: LogFilter;
  readonly signal?: AbortSignal;
}

export interface CountOptions extends SpanOptions {
  /** Equal parts of the span that are counted apart, at least 1. */
  readonly buckets: number;
  /** Counting ends soon after this, wherever it is. */
  readonly budgetMs: number;
}

/** How many entries there are. */
export interface LogCounts {
  /** Of each part of the span, oldest first; a severity that it has none of is absent. */
  readonly buckets: readonly Readonly<Partial<Record<Severity, number>>>[];
  /** Where the time ran out: later entries are not counted. */
  readonly countedUntil?: string;
}

/** Durable, ordered log of every deployment. */
export interface LogStore {
  /**
   * Takes entries in order; they are in {@link read} and {@link tail} at once and on disk within a second.
   * Never throws: what can't be kept is counted and said in the log itself.
   * A returned promise is back-pressure: wait for it before handing in more of this scope.
   */
  append(scope: LogScope, entries: readonly LogInput[]): void | Promise<void>;
  /**
   * @throws BerthError `unavailable` when the store can't answer.
   * @throws RangeError when `since` is no RFC 3339 time.
   */
  read(scope: LogScope, options: ReadOptions): Promise<readonly StoredEntry[]>;
  /**
   * Begins at the call. Ends when the signal aborts or the store closes.
   * @throws BerthError `unavailable` while it is iterated, when the store can't answer.
   */
  tail(scope: LogScope, options: TailOptions): AsyncIterable<StoredEntry>;
  /** How many entries fit, by time and severity. @throws BerthError `unavailable` when the store can't answer. */
  count(scope: LogScope, options: CountOptions): Promise<LogCounts>;
  /**
   * Which fields entries have, and with which values: of all of a span, or of some thousand from all over it.
   * @throws BerthError `unavailable` when the store can't answer.
   */
  survey(scope: LogScope, options: SpanOptions): Promise<FieldSurvey>;
  /**
   * Everything appended before the call is on disk when it resolves.
   * @throws BerthError `unavailable` when the disk did not take or confirm all of it.
   */
  flush(): Promise<void>;
  /** Flushes, ends every tail, and drops what is appended from then on. Idempotent. */
  close(): Promise<void>;
}

/** All entries of an account at one moment, in files that stay as they are until they are released. */
export interface LogSnapshot {
  /** Names the account in the ids of the entries; see `scopeFolder`. */
  readonly accountFolder: string;
  /** Parquet, absolute: `…/<folder of the account>/<folder of the deployment>/<segment>`. */
  readonly files: readonly string[];
  /** Folders with nothing in them but files of this account's logs; all of {@link files} are below one. They may be missing. */
  readonly folders: readonly string[];
  readonly bytes: number;
  /** Idempotent. */
  release(): void;
}

/** A log store whose entries can be had as files. */
export interface FileLogStore extends LogStore {
  /** Segments found missing or damaged since the store was opened; answers leave their entries out. */
  readonly damagedSegments: number;
  /**
   * Every entry of an account that was appended before the call. The caller releases it.
   * @throws BerthError `unavailable` when it can't be made.
   */
  snapshot(account: string): Promise<LogSnapshot>;
}
