import type { Severity } from '@berth/contract';

/** Which kind of writer an entry came from. */
export type LogName = 'stdout' | 'stderr' | 'requests' | 'system' | 'build';

/** Whose log: the unit of reading, ordering and tenancy. */
export interface LogScope {
  readonly account: string;
  readonly deployment: string;
}

/** A served request, as stored. Times in milliseconds, sizes in bytes. */
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
  /** Set when the request waited for an instance to start; the parts in milliseconds. */
  readonly coldStart?: Readonly<Record<string, number>>;
  /** Set when it waited for a suspended one to be thawed; the parts in milliseconds. */
  readonly resume?: Readonly<Record<string, number>>;
}

/** An entry as a writer hands it in. */
export interface LogInput {
  readonly logName: LogName;
  readonly severity: Severity;
  /** Text of the entry; for a JSON line the text to show. */
  readonly message: string;
  readonly jsonPayload?: Readonly<Record<string, unknown>>;
  readonly httpRequest?: HttpRequestRecord;
  readonly revision?: string;
  readonly instance?: string;
  readonly trace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Wall time of the event, milliseconds since the epoch; the store's own clock when absent. */
  readonly timeMs?: number;
}

/**
 * An entry as stored. `timestamp` is RFC 3339 with nanoseconds and `Z`; within a scope no two are equal and they
 * rise in the order of writing, also when the wall clock goes backwards: it is the cursor.
 */
export interface StoredEntry extends Omit<LogInput, 'timeMs'> {
  readonly timestamp: string;
  readonly insertId: string;
}
