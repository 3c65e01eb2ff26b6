import type { Severity } from '@berth/contract';

/** The kind of writer that an entry came from. */
export type LogName = 'stdout' | 'stderr' | 'requests' | 'system' | 'build';

/** Identifies one log: the unit of reading, ordering and tenancy. */
export interface LogScope {
  readonly account: string;
  readonly deployment: string;
}

/** A served request. Times in milliseconds, sizes in bytes. */
export interface HttpRequestRecord {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly latencyMs: number;
  readonly requestSize: number;
  readonly responseSize: number;
  readonly remoteIp: string;
  readonly userAgent: string;
  readonly protocol: string;
  /**
   * Phases of the cold start that the request waited for, in milliseconds. Absent when it did not wait for an instance
   * to start.
   */
  readonly coldStart?: Readonly<Record<string, number>>;
  /**
   * Phases of the resume that the request waited for, in milliseconds. Absent when it did not wait for a suspended
   * instance.
   */
  readonly resume?: Readonly<Record<string, number>>;
}

/** An entry as a writer passes it in. */
export interface LogInput {
  readonly logName: LogName;
  readonly severity: Severity;
  /** Text of the entry; for a JSON line, the text to show. */
  readonly message: string;
  readonly jsonPayload?: Readonly<Record<string, unknown>>;
  readonly httpRequest?: HttpRequestRecord;
  readonly revision?: string;
  readonly instance?: string;
  readonly trace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Time of the event, in milliseconds since the epoch. Default: the store's clock. */
  readonly timeMs?: number;
}

/**
 * An entry as stored. `timestamp` is RFC 3339 with nanoseconds and `Z`. Within a scope, timestamps are unique and rise
 * in the order of writing, even when the wall clock goes back; so a timestamp is a cursor.
 */
export interface StoredEntry extends Omit<LogInput, 'timeMs'> {
  readonly timestamp: string;
  readonly insertId: string;
}
