/**
 * Keeps the runs of this process alive in the store. A run without a heartbeat for 30 s is taken for dead by other
 * instances. Source: docs/contract/agent-api.md §2, "Runs".
 */
export interface Heartbeats {
  /** Keeps a run alive from now on, also while it is being stored. */
  add(runId: string): void;
  /** Says that the run is stored: from now on it is reported as lost when another instance has ended or taken it. */
  begun(runId: string): void;
  /** Ends the heartbeats of a run. */
  remove(runId: string): void;
}

/** Extends the leases of the tasks that this process runs. */
export interface TaskLeases {
  /** Extends the lease of a running task from now on, for `keepMs` at most. */
  add(taskId: string, keepMs: number): void;
  remove(taskId: string): void;
}

/** A thread that keeps the runs and the tasks of this process alive in the store. It starts with the first of them. */
export interface HeartbeatThread {
  /** @param onLost called with runs that another instance has ended or taken over */
  forRuns(onLost: (runIds: readonly string[]) => void): Heartbeats;
  readonly tasks: TaskLeases;
  /** Ends all heartbeats. Idempotent. */
  close(): Promise<void>;
}

/** Where the heartbeats of a database are written: a SQLite file, or a schema of a Postgres database. */
export type HeartbeatPlace = { readonly file: string } | { readonly url: string; readonly schema: string };

/** The data that a heartbeat thread starts with. */
export interface HeartbeatThreadData {
  readonly place: HeartbeatPlace;
  /** Id of this process, as in {@link StoredRun.instance}. */
  readonly instance: string;
  /** The agent's time at the start, in milliseconds since the epoch. */
  readonly nowMs: number;
  readonly intervalMs: number;
  /** Longest time that a run is kept alive. */
  readonly keepMs: number;
  /** How far ahead a lease on a task reaches. */
  readonly leaseMs: number;
}

/** A message to the thread about a run or a task; `close` closes its connection and ends it. */
export type HeartbeatRequest =
  | readonly ['add' | 'begun' | 'remove', runId: string]
  | readonly ['lease', taskId: string, keepMs: number]
  | readonly ['close'];

/** A message of the thread: runs that were lost, a failed heartbeat with its reason, or the first one that succeeds again. */
export type HeartbeatReport =
  | { readonly lost: readonly string[] }
  | { readonly failed: string }
  | { readonly recovered: true };
