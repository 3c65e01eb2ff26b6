/** The schedule of the serving revision; at most one per deployment. */
export interface SchedulesTable {
  readonly deployment: string;
  readonly account_id: string;
  /** Five fields or a nickname. */
  cron: string;
  /** IANA name. */
  timezone: string;
  /** the next run, or the one that was missed. */
  next_due_at: number;
}

/** One run of a schedule. */
export interface ScheduleRunsTable {
  /** `run_…`; ids sort by time. */
  readonly id: string;
  readonly account_id: string;
  readonly deployment: string;
  readonly trigger: 'schedule' | 'manual';
  /** when it was due. */
  readonly scheduled_at: number;
  status: 'pending' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  /** Attempts started. */
  attempts: number;
  /** Null unless pending. */
  next_attempt_at: number | null;
  /** The process that makes the attempt; null unless running. */
  lease_owner: string | null;
  /** Afterwards the attempt counts as interrupted. */
  lease_expires_at: number | null;
  readonly created_at: number;
  /** Null until it ended. */
  ended_at: number | null;
}

/** One call of a service for a run. */
export interface ScheduleAttemptsTable {
  readonly run_id: string;
  /** From 1. */
  readonly number: number;
  readonly account_id: string;
  readonly started_at: number;
  /** Null while it runs. */
  ended_at: number | null;
  /** HTTP status; null without a response. */
  response_status: number | null;
  /** Why it failed; null on success. */
  error: string | null;
}
