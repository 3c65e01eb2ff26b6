import type { OwnerKey } from './owner-key.ts';

/** The statuses of a task. */
export const TASK_STATUSES = ['pending', 'running', 'succeeded', 'failed', 'cancelled'] as const;

/**
 * The status of a task. `pending`: waits for its time, for another attempt or for capacity. `failed`: no attempt is left; the task
 * is kept as a dead letter. Source: docs/contract/agent-api.md §11.
 */
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** A background task. Fields with JSON hold JSON text. */
export interface StoredTask {
  /** Sorts in the order of creation. */
  readonly id: string;
  /** The person's key inside the workspace; `ANONYMOUS` for a task of the agent itself. */
  readonly owner: OwnerKey;
  readonly name: string;
  readonly status: TaskStatus;
  /** JSON. */
  readonly input: string;
  /** JSON that the engine keeps with the task, e.g. the person it works for. */
  readonly context?: string;
  /** Counts the claims of the task, from 0. It fences: writes of an earlier attempt change nothing. */
  readonly attempt: number;
  /** Attempts that failed since the task was added or retried by hand. */
  readonly failures: number;
  /** The earliest time of the next attempt. */
  readonly runAtMs: number;
  readonly createdAtMs: number;
  /** Start of the last attempt. */
  readonly startedAtMs?: number;
  readonly endedAtMs?: number;
  readonly isCancelRequested: boolean;
  /** JSON. */
  readonly progress?: string;
  /** JSON of what the handler returned. */
  readonly result?: string;
  /** JSON about the last failure. */
  readonly error?: string;
}

/** A task to add. */
export interface NewTask extends Pick<StoredTask, 'id' | 'owner' | 'name' | 'input' | 'context' | 'runAtMs'> {
  readonly nowMs: number;
  /** A task of the same owner, name and key is not added again as long as the first one is kept. */
  readonly idempotencyKey?: string;
  /** At most `limit` tasks of one key run at a time, over all instances. */
  readonly concurrency?: { readonly key: string; readonly limit: number };
}

/** Tasks to claim. */
export interface ClaimTasks {
  /** The names that this program has handlers for. */
  readonly names: readonly string[];
  /** Identifies the process that claims. */
  readonly holder: string;
  readonly nowMs: number;
  readonly leaseUntilMs: number;
  readonly limit: number;
}

/** The end of an attempt. `pending` releases the task for another attempt at `runAtMs`. */
export type TaskEnd = {
  readonly nowMs: number;
  readonly failures: number;
  /** JSON about the failure; keeps the previous one when undefined. */
  readonly error?: string;
  /** When the task is deleted, if the attempt was its last one. */
  readonly expiresAtMs: number;
  /** Ends the attempt only if its lease ended before. */
  readonly leaseBeforeMs?: number;
} & (
  | { readonly status: 'succeeded'; readonly result?: string }
  | { readonly status: 'failed' | 'cancelled' }
  | { readonly status: 'pending'; readonly runAtMs: number }
);

/** A page of tasks, newest first. */
export interface ListTasks {
  readonly name?: string;
  readonly status?: TaskStatus;
  readonly limit: number;
  /** Continues after the task of this id. */
  readonly afterId?: string;
}

/** Scope of tasks that a call sees: one owner's, or every task of the agent, for the agent's own code. */
export type TaskScope = OwnerKey | { readonly all: true };

/** Background tasks: claimed by one instance at a time with a lease, and run at least once. */
export interface TaskStore {
  /** Adds a task; returns the earlier one with `isNew: false` when its idempotency key is taken. */
  add(task: NewTask): Promise<{ readonly task: StoredTask; readonly isNew: boolean }>;
  find(scope: TaskScope, id: string): Promise<StoredTask | undefined>;
  list(scope: TaskScope, options: ListTasks): Promise<readonly StoredTask[]>;
  /**
   * Claims due tasks, oldest due time first: each becomes `running` with the next attempt number. May return fewer than are due,
   * because of concurrency limits or of instances that claim at the same time; call it again until it returns none.
   */
  claim(options: ClaimTasks): Promise<readonly StoredTask[]>;
  /** Extends the leases of a holder. Returns the attempts it still holds; the others were taken over or deleted. */
  extend(
    holder: string,
    leaseUntilMs: number,
  ): Promise<readonly (Pick<StoredTask, 'id' | 'attempt'> & { readonly isCancelRequested: boolean })[]>;
  /** Returns ids of a holder's running tasks that should be canceled. Cheap, since it is polled. */
  cancelRequests(holder: string): Promise<readonly string[]>;
  /** Stores the progress of an attempt; false when the attempt no longer runs. */
  setProgress(id: string, attempt: number, progress: string): Promise<boolean>;
  /**
   * Ends an attempt. A task that is released while a cancellation is requested becomes `cancelled`.
   * @returns false, with nothing stored, when the attempt no longer runs or its lease was extended.
   */
  settle(id: string, attempt: number, end: TaskEnd): Promise<boolean>;
  /** Cancels a pending task, and requests it of a running one. Undefined when there is no such task or it has ended. */
  cancel(
    scope: TaskScope,
    id: string,
    times: { readonly nowMs: number; readonly expiresAtMs: number },
  ): Promise<StoredTask | undefined>;
  /** Makes a failed or canceled task pending again, without failures. Undefined when there is none. */
  retry(scope: TaskScope, id: string, nowMs: number): Promise<StoredTask | undefined>;
  /** Returns running tasks whose lease ended before `nowMs`: their process is gone. */
  listExpired(names: readonly string[], nowMs: number, limit: number): Promise<readonly StoredTask[]>;
  /** Returns the earliest due time of the pending tasks; undefined when there are none. */
  nextDueMs(names: readonly string[]): Promise<number | undefined>;
  /** Returns names of unfinished tasks that are none of `names`. */
  otherNames(names: readonly string[]): Promise<readonly string[]>;
  /** Deletes ended tasks whose retention ended by `nowMs`. */
  purge(nowMs: number): Promise<void>;
}
