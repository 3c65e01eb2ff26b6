/** The schedule of the serving revision; at most one per deployment. */
export interface SchedulesTable {
  readonly deployment: string;
  readonly account_id: string;
  /** Five fields or a nickname. */
  cron: string;
  /** IANA name. */
  timezone: string;
  /** Epoch milliseconds, wall clock: the next run, or the one that was missed. */
  next_due_at: number;
}

/** One run of a schedule. */
export interface ScheduleRunsTable {
  /** `run_…`; ids sort by time. */
  readonly id: string;
  readonly account_id: string;
  readonly deployment: string;
  readonly trigger: 'schedule' | 'manual';
  /** Epoch milliseconds, wall clock: when it was due. */
  readonly scheduled_at: number;
  status: 'pending' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  /** Attempts started. */
  attempts: number;
  /** Epoch milliseconds, wall clock; null unless pending. */
  next_attempt_at: number | null;
  /** The process that makes the attempt; null unless running. */
  lease_owner: string | null;
  /** Epoch milliseconds, wall clock. Afterwards the attempt counts as interrupted. */
  lease_expires_at: number | null;
  /** Epoch milliseconds, wall clock. */
  readonly created_at: number;
  /** Epoch milliseconds, wall clock; null until it ended. */
  ended_at: number | null;
}

/** One call of a service for a run. */
export interface ScheduleAttemptsTable {
  readonly run_id: string;
  /** From 1. */
  readonly number: number;
  readonly account_id: string;
  /** Epoch milliseconds, wall clock. */
  readonly started_at: number;
  /** Epoch milliseconds, wall clock; null while it runs. */
  ended_at: number | null;
  /** HTTP status; null without a response. */
  response_status: number | null;
  /** Why it failed; null on success. */
  error: string | null;
}

/** Tables of schedules and their runs. */
export interface SchedulesSchema {
  schedules: SchedulesTable;
  schedule_runs: ScheduleRunsTable;
  schedule_attempts: ScheduleAttemptsTable;
}
