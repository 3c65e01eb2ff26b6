import type { User } from '@berth/agent-core';
import type { TaskStatus } from '@berth/agent-store';
import type { Logger } from '@berth/kit';
import type { z } from 'zod';
import type { AgentRun, RunOptions } from '../turns/agent-run.ts';

/** How far a task is, as its person sees it. */
export interface TaskProgress {
  /** 0 to 1. */
  readonly fraction?: number;
  /** At most 500 characters. */
  readonly message?: string;
}

/** Context of a task's handler besides its input. */
export interface TaskContext {
  /** The same for all attempts of the task. Pass it as an idempotency key to whatever must happen once. */
  readonly id: string;
  readonly name: string;
  /** Counts the attempts, from 1. An attempt that ended with its instance counts too. */
  readonly attempt: number;
  /** The person that the task works for; undefined for a task of the agent itself. */
  readonly user: User | undefined;
  /** Id of the workspace that the task works in; undefined without `user`. */
  readonly workspaceId: string | undefined;
  /**
   * Aborts when the task is canceled, when its time is up and when the instance shuts down. A handler that ends after that counts as
   * not finished. One that goes on for 10 s is left alone, and its task ends without it.
   */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /**
   * Starts a turn as `agent.run` does. `user` and `workspace` default to the task's. The turn is stopped when the task is canceled or
   * its time is up.
   *
   * Without `chatId`, the turn has a chat of its own and is asked once: a later attempt of the task waits for it, or gets its result
   * with `usage` 0. Only a turn that did not finish is asked again. So call `run` in the same order in every attempt.
   */
  run<Output = unknown>(options: RunOptions<Output>): Promise<AgentRun<Output>>;
  /** Shows how far the task is. Cheap: written at most once a second. @throws RangeError for a fraction outside 0 to 1. */
  progress(progress: TaskProgress): void;
}

/** Runs an attempt of a task. The return value is stored as JSON, which the task's person can read. */
export type TaskHandler<Input> = (input: Input, context: TaskContext) => unknown;

/** When a failed attempt is repeated. */
export interface RetryPolicy {
  /** Attempts in all, 1–100; 5 by default. */
  readonly attempts?: number;
  /** Delay after the first failure, doubled after each further one; 1,000 by default. A random part of up to a half is left off. */
  readonly minDelayMs?: number;
  /** Longest delay; 600,000 by default. */
  readonly maxDelayMs?: number;
}

/** How attempts are run. */
export interface AttemptOptions {
  readonly retry?: RetryPolicy;
  /** Time of one attempt, 1,000–86,400,000; 600,000 (10 minutes) by default. */
  readonly timeoutMs?: number;
}

/** The options of `agent.task`. */
export interface TaskOptions<Input extends z.ZodType = z.ZodUndefined> extends AttemptOptions {
  /** Schema of the input; its values must survive JSON. Without it the task takes no input. */
  readonly input?: Input;
  /** Tasks of this name, or of one key of it, that run at a time over all instances; with a key 1 by default, else unlimited. */
  readonly concurrency?: number;
  /** Returns the key that `concurrency` counts by, e.g. a customer's id; at most 200 characters. */
  concurrencyKey?(input: z.output<Input>): string;
}

/** The options of one task. */
export interface EnqueueOptions {
  /** The person that the task works for, who sees and cancels it at `/tasks`. By default the task is the agent's own. */
  readonly user?: User | undefined;
  /** Id of a team's workspace that the person belongs to; their personal one by default. */
  readonly workspace?: string | undefined;
  /** Starts the task this much later. */
  readonly delayMs?: number;
  /** Starts the task at this time, instead of `delayMs`. */
  readonly runAt?: Date;
  /**
   * A second task with this name, person and key is not added: the first one is returned, also after its end, as long as it is kept.
   * At most 255 characters.
   */
  readonly idempotencyKey?: string;
  /** Replaces the key that the definition's `concurrencyKey` returns. */
  readonly concurrencyKey?: string;
}

/** A background task. Times are in milliseconds since the epoch. */
export interface Task {
  readonly id: string;
  readonly name: string;
  readonly status: TaskStatus;
  readonly input: unknown;
  readonly user?: User;
  readonly workspace?: string;
  /** Number of the last attempt; 0 before the first one. */
  readonly attempt: number;
  /** The earliest start of the next attempt. */
  readonly runAtMs: number;
  readonly createdAtMs: number;
  readonly startedAtMs?: number;
  readonly endedAtMs?: number;
  /** A running task was canceled, and its handler has not ended yet. */
  readonly isCancelRequested: boolean;
  readonly progress?: TaskProgress;
  /** Return value of the handler. */
  readonly result?: unknown;
  /** The last failure. The log has it under `error_id`, the reference; the message is that of a `TaskError`. */
  readonly error?: { readonly reference: string; readonly message?: string };
}

/** A page of tasks to list. */
export interface ListTasksOptions {
  readonly name?: string;
  readonly status?: TaskStatus;
  /** Only tasks of this person. */
  readonly user?: User;
  /** The workspace of the person's tasks; their personal one by default. */
  readonly workspace?: string;
  /** 1–1,000; 100 by default. */
  readonly limit?: number;
  /** `next` of the previous page. */
  readonly cursor?: string;
}

/** The agent's background tasks: `agent.tasks`. */
export interface Tasks {
  /**
   * Adds a task. It is durable when this resolves, and starts as soon as an instance of the agent has room.
   * @throws BerthError `invalid` for an unknown name, an input that the schema refuses or a wrong option; `not_found` for a workspace
   * that the person does not belong to.
   */
  enqueue(name: string, input?: unknown, options?: EnqueueOptions): Promise<Task>;
  /** Returns tasks, newest first. */
  list(options?: ListTasksOptions): Promise<{ readonly tasks: readonly Task[]; readonly next?: string }>;
  /** @throws BerthError `not_found`. */
  get(id: string): Promise<Task>;
  /**
   * Cancels a task: one that waits ends at once, one that runs when its handler has ended.
   * @throws BerthError `not_found`; `conflict` when it has ended.
   */
  cancel(id: string): Promise<Task>;
  /**
   * Runs a failed or canceled task again, with all its attempts.
   * @throws BerthError `not_found`; `conflict` when it has not failed.
   */
  retry(id: string): Promise<Task>;
}

/** A defined task, as `agent.task` returns it. */
export interface DefinedTask<Input extends z.ZodType> {
  readonly name: string;
  /** Adds a task as `agent.tasks.enqueue` does. */
  enqueue(input: z.input<Input>, options?: EnqueueOptions): Promise<Task>;
}

/** Settings of all tasks of an agent: `defineAgent({ tasks: { … } })`. */
export interface TaskSettings {
  /** Attempts that one instance runs at a time; 10 by default. */
  readonly concurrency?: number;
  /** How long ended tasks are kept; 7 days by default. */
  readonly keepDays?: number;
  /** How long failed tasks are kept; 30 days by default. */
  readonly keepFailedDays?: number;
}
