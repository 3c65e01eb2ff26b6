import { randomBytes } from 'node:crypto';
import { type Caller, personalWorkspace, type User, type WorkspaceAccess } from '@berth/agent-core';
import type { StoredTask, TaskEnd, TaskStore } from '@berth/agent-store';
import { BerthError, backoffMs, type Clock, describeError, type Logger } from '@berth/kit';
import type { AgentRun, RunOptions } from '../turns/agent-run.ts';
import type { TaskDefinition } from './task-definitions.ts';
import { TaskError } from './task-error.ts';
import type { TaskContext, TaskProgress } from './task-types.ts';

/** How long a handler may go on after its signal aborts. */
const GRACE_MS = 10_000;
/** Least time between two writes of a task's progress. */
const PROGRESS_MS = 1_000;
/** Attempts to store an end, a second apart. After the last one the lease ends, and the task runs again. */
const SETTLE_ATTEMPTS = 20;
const PAUSE_MS = 1_000;
/** Most bytes of a result as JSON. */
const RESULT_BYTES = 1_048_576;
const MESSAGE_CHARACTERS = 500;

/** Why an attempt is ended before its handler ends. `lost`: another instance has the task, or it was deleted. */
export type AbortReason = 'cancelled' | 'timeout' | 'closing' | 'lost';

/** Owner of a task, as stored with the task. */
export interface StoredContext {
  readonly user: User;
  readonly workspaceId: string;
}

/** Dependencies of an attempt. */
export interface AttemptDeps {
  readonly store: Pick<TaskStore, 'settle' | 'setProgress'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Undefined unless the agent has team workspaces. */
  readonly registry: WorkspaceAccess | undefined;
  run<Output>(options: RunOptions<Output>): Promise<AgentRun<Output>>;
  /** As `run`; a turn that the chat has already is not asked again. */
  runOnce<Output>(options: RunOptions<Output> & { readonly chatId: string }): Promise<AgentRun<Output>>;
  /** Retention of ended and of failed tasks. */
  readonly keepMs: { readonly ended: number; readonly failed: number };
  /** Whether the agent shuts down. */
  isClosing(): boolean;
}

/** An attempt that runs in this process. */
export interface Attempt {
  readonly number: number;
  /** Aborts the handler's signal. The first reason stands. */
  abort(reason: AbortReason): void;
  /** Resolves when the end is stored. Never rejects. */
  readonly ended: Promise<void>;
}

/** Starts an attempt of a task that this process has claimed. */
export function startAttempt(definition: TaskDefinition, task: StoredTask, deps: AttemptDeps): Attempt {
  const { clock } = deps;
  const log = deps.logger.child({ task: task.name, taskId: task.id, attempt: task.attempt });
  const controller = new AbortController();
  /** Turns that the handler started go on at shutdown: the agent's engine drains and interrupts them itself. */
  const turns = new AbortController();
  const abandoned = Promise.withResolvers<void>();
  let turnCount = 0;
  let reason: AbortReason | undefined;
  let isOver = false;
  let grace: { cancel(): void } | undefined;
  const abort = (why: AbortReason) => {
    if (reason || isOver) return;
    reason = why;
    const error = new Error(`the task was ended: ${why}`);
    controller.abort(error);
    if (why !== 'closing') turns.abort(error);
    // At shutdown and after a takeover the handler's end no longer matters.
    if (why === 'closing' || why === 'lost') abandoned.resolve();
    else grace = clock.setTimer(GRACE_MS, abandoned.resolve);
  };
  const progress = createProgressWriter(task, deps, log);

  const work = async (): Promise<Outcome> => {
    try {
      const { user, workspaceId } = await enter(task, deps);
      const prepared = definition.prepare(JSON.parse(task.input));
      if (prepared.problem)
        throw new TaskError('The stored input no longer matches the schema of the task.', {
          isRetryable: false,
          cause: prepared.problem,
        });
      const context: TaskContext = {
        id: task.id,
        name: task.name,
        attempt: task.attempt,
        user,
        workspaceId,
        signal: controller.signal,
        log,
        progress: progress.show,
        run<Output>(options: RunOptions<Output>) {
          turns.signal.throwIfAborted();
          const signal = options.signal ? AbortSignal.any([options.signal, turns.signal]) : turns.signal;
          const workspace = options.workspace ?? workspaceId;
          const own = options.user === undefined && user && { user, ...(workspace !== undefined && { workspace }) };
          const turn = { ...options, ...own, signal };
          if (options.chatId !== undefined) return deps.run(turn);
          const chatId = ++turnCount === 1 ? task.id : `${task.id}-${turnCount}`;
          return deps.runOnce({ ...turn, chatId });
        },
      };
      return { result: resultOf(await prepared.handle(context)) };
    } catch (error) {
      return { error };
    }
  };

  const run = async () => {
    const startedMs = clock.monotonicMs();
    const timeout = clock.setTimer(definition.timeoutMs, () => abort('timeout'));
    const outcome = await Promise.race([work(), abandoned.promise.then((): Outcome => ({ error: OVERDUE }))]);
    isOver = true;
    // What the agent refuses while it shuts down is no fault of the task.
    if (!reason && 'error' in outcome && deps.isClosing()) reason = 'closing';
    timeout.cancel();
    grace?.cancel();
    await progress.end();
    if (reason === 'lost') return log.warn({}, 'another instance has taken over the task');
    const end = endOf(outcome, reason, { definition, task, deps, log });
    const isDone = await settle(task, end, deps, log);
    const durationMs = Math.round(clock.monotonicMs() - startedMs);
    if (isDone) log.info({ event: 'task', status: end.status, durationMs }, `the attempt ended: ${end.status}`);
    else log.warn({}, 'the task was killed by another instance');
  };
  const ended = run().catch((error) =>
    log.error({ error: describeError(error) }, 'the end of a task cannot be stored'),
  );
  return { number: task.attempt, abort, ended };
}

type Outcome = { readonly result: string | undefined; readonly error?: never } | { readonly error: unknown };

const OVERDUE = new Error(`the handler did not end within ${GRACE_MS / 1_000} s after its signal aborted`);

/** Returns the person that the task works for. @throws TaskError when they no longer belong to the workspace. */
async function enter(
  { context }: StoredTask,
  { registry }: AttemptDeps,
): Promise<{ readonly user: User | undefined; readonly workspaceId: string | undefined }> {
  if (context === undefined) return { user: undefined, workspaceId: undefined };
  const { user, workspaceId } = JSON.parse(context) as StoredContext;
  try {
    await registry?.enter(user satisfies Caller, workspaceId);
  } catch (error) {
    if (!BerthError.is(error) || error.code !== 'not_found') throw error;
    const what = 'The person no longer belongs to the workspace of the task.';
    throw new TaskError(what, { isRetryable: false, cause: error });
  }
  return { user, workspaceId: registry ? workspaceId : personalWorkspace(user).id };
}

/** Returns a result as JSON. @throws TaskError for one that can't be stored; the work is done, so it is not repeated. */
function resultOf(value: unknown): string | undefined {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    throw new TaskError('The result of the task is not JSON.', { isRetryable: false, cause: error });
  }
  if (json === undefined || Buffer.byteLength(json) <= RESULT_BYTES) return json;
  throw new TaskError(`The result of the task has more than ${RESULT_BYTES} bytes.`, { isRetryable: false });
}

interface EndContext {
  readonly definition: TaskDefinition;
  readonly task: StoredTask;
  readonly deps: AttemptDeps;
  readonly log: Logger;
}

/** Returns what an attempt leads to. */
function endOf(
  outcome: Outcome,
  reason: AbortReason | undefined,
  { definition, task, deps, log }: EndContext,
): TaskEnd {
  const nowMs = deps.clock.nowMs();
  const common = { nowMs, failures: task.failures, expiresAtMs: nowMs + deps.keepMs.ended };
  // The task isn't at fault, so another instance runs it at once, and no failure counts.
  if (reason === 'closing') return { ...common, status: 'pending', runAtMs: nowMs };
  if (reason === 'cancelled') return { ...common, status: 'cancelled' };
  if (reason === undefined && !('error' in outcome)) {
    return { ...common, status: 'succeeded', ...(outcome.result !== undefined && { result: outcome.result }) };
  }
  const timedOut = `The attempt took longer than ${definition.timeoutMs / 1_000} s.`;
  const cause = reason === 'timeout' ? new TaskError(timedOut, { cause: outcome.error }) : outcome.error;
  return failedEnd(cause, { definition, task, deps, log });
}

/** Returns the end of an attempt that failed: another attempt, or the task's failure. Logs the error under a reference. */
export function failedEnd(error: unknown, { definition, task, deps, log }: EndContext): TaskEnd {
  const nowMs = deps.clock.nowMs();
  const reference = randomBytes(4).toString('hex');
  const failures = task.failures + 1;
  const own = error instanceof TaskError ? error : undefined;
  const isLast = failures >= definition.attempts || own?.isRetryable === false;
  const delayMs = own?.retryAfterMs ?? retryDelayMs(definition, task, failures);
  const common = {
    nowMs,
    failures,
    error: JSON.stringify({ reference, ...(own && { message: own.message.slice(0, MESSAGE_CHARACTERS) }) }),
    expiresAtMs: nowMs + deps.keepMs.failed,
  };
  const fields = { error_id: reference, error: describeError(error) };
  if (isLast) {
    log.error(fields, 'a task failed');
    return { ...common, status: 'failed' };
  }
  log.warn({ ...fields, delayMs }, 'an attempt of a task failed, and is repeated');
  return { ...common, status: 'pending', runAtMs: nowMs + delayMs };
}

/** Returns the delay before the next attempt. A part that depends on the task keeps tasks that failed together apart. */
function retryDelayMs({ minDelayMs, maxDelayMs }: TaskDefinition, { id }: StoredTask, failures: number): number {
  const delayMs = backoffMs(failures - 1, { baseMs: minDelayMs, maxMs: maxDelayMs });
  let hash = failures;
  for (const letter of id) hash = (hash * 31 + letter.charCodeAt(0)) % 1_009;
  return Math.round(delayMs * (1 - hash / 1_009 / 2));
}

async function settle(task: StoredTask, end: TaskEnd, { store, clock }: AttemptDeps, log: Logger): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await store.settle(task.id, task.attempt, end);
    } catch (error) {
      if (attempt >= SETTLE_ATTEMPTS) throw error;
      log.warn({ error: describeError(error) }, 'the end of a task cannot be stored yet');
      await clock.sleep(PAUSE_MS);
    }
  }
}

/** Creates a writer that keeps the latest progress, and stores it at most once a second. */
function createProgressWriter(task: StoredTask, { store, clock }: AttemptDeps, log: Logger) {
  let latest: string | undefined;
  let timer: { cancel(): void } | undefined;
  let writing = Promise.resolve();
  let isEnded = false;
  const write = () => {
    const json = latest;
    latest = undefined;
    if (json === undefined) return;
    const work = async () => void (await store.setProgress(task.id, task.attempt, json));
    writing = work().catch((error) =>
      log.warn({ error: describeError(error) }, 'the progress of a task is not stored'),
    );
  };
  const writeAndRest = () => {
    write();
    timer = clock.setTimer(PROGRESS_MS, () => {
      timer = undefined;
      if (latest !== undefined) writeAndRest();
    });
  };
  return {
    show({ fraction, message }: TaskProgress): void {
      if (fraction !== undefined && !(fraction >= 0 && fraction <= 1)) {
        throw new RangeError(`progress: fraction is a number from 0 to 1, not ${fraction}.`);
      }
      if (isEnded) return;
      latest = JSON.stringify({ fraction, message: message?.slice(0, MESSAGE_CHARACTERS) });
      if (!timer) writeAndRest();
    },
    /** Stores the latest progress, and ignores what follows. */
    async end(): Promise<void> {
      isEnded = true;
      timer?.cancel();
      await writing;
      write();
      await writing;
    },
  };
}
