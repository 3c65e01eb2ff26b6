import { personalWorkspace, type RouteGuard } from '@berth/agent-core';
import {
  ANONYMOUS,
  memberKey,
  type OwnerKey,
  ownerKey,
  type StoredTask,
  TASK_STATUSES,
  type TaskScope,
  type TaskStore,
} from '@berth/agent-store';
import { createError } from '@berth/contract';
import type { Clock, IdSource } from '@berth/kit';
import { z } from 'zod';
import type { TaskEngine } from './create-task-engine.ts';
import type { StoredContext } from './run-attempt.ts';
import { checkKey, type TaskDefinitions } from './task-definitions.ts';
import type { EnqueueOptions, Task, TaskProgress, Tasks } from './task-types.ts';

/** Most bytes of an input as JSON. A webhook's payload of 10 MiB fits. */
const INPUT_BYTES = 16 * 1_048_576;
const MAX_IDEMPOTENCY_KEY = 255;
const PAGE = 100;
const MAX_PAGE = 1_000;
/** Longest delay: a year. */
const MAX_DELAY_MS = 366 * 86_400_000;

/** Every task of the agent, for its owner's code. */
const ALL: TaskScope = { all: true };

/** Dependencies of {@link createTasks}. */
export interface TasksDeps extends Pick<RouteGuard, 'authenticator' | 'registry'> {
  readonly store: TaskStore;
  readonly definitions: Pick<TaskDefinitions, 'find' | 'names'>;
  readonly engine: Pick<TaskEngine, 'wake' | 'cancelHere'>;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** How long ended tasks are kept. */
  readonly keepMs: number;
}

/** The tasks of an open agent, for its owner's code and for its routes. */
export interface OpenTasks extends Tasks {
  /** As `enqueue`; also says whether the task is new. */
  add(
    name: string,
    input: unknown,
    options?: EnqueueOptions,
  ): Promise<{ readonly task: StoredTask; readonly isNew: boolean }>;
  /** As `cancel`, for the tasks of one owner. */
  cancelOf(scope: TaskScope, id: string): Promise<StoredTask>;
}

/** Creates `agent.tasks`. */
export function createTasks(deps: TasksDeps): OpenTasks {
  const { store, definitions, engine, clock, ids, keepMs } = deps;

  const add: OpenTasks['add'] = async (name, input, options = {}) => {
    const wrong = (what: string) => createError('invalid', `agent.tasks.enqueue("${name}"): ${what}`);
    const definition = definitions.find(name);
    if (!definition) {
      const known =
        definitions.names.length > 0 ? `The tasks are ${definitions.names.join(', ')}.` : 'None is defined.';
      throw wrong(`no such task. ${known} Define it with agent.task("${name}", …).`);
    }
    const json = toJson(input ?? null);
    if (json === undefined) throw wrong('the input is not JSON.');
    if (Buffer.byteLength(json) > INPUT_BYTES) throw wrong(`the input has more than ${INPUT_BYTES} bytes.`);
    // Checked as it comes back from the store, so that a value that JSON loses is refused here.
    const prepared = definition.prepare(JSON.parse(json));
    if (prepared.problem) throw wrong(z.prettifyError(prepared.problem));
    const { idempotencyKey } = options;
    if (idempotencyKey !== undefined && !isKey(idempotencyKey)) {
      throw wrong(`idempotencyKey has 1 to ${MAX_IDEMPOTENCY_KEY} characters.`);
    }
    const nowMs = clock.nowMs();
    const { owner, context } = await enter(deps, options, wrong);
    const limit = prepared.concurrency?.limit ?? 1;
    const own = options.concurrencyKey === undefined ? undefined : checkKey(name, options.concurrencyKey);
    const concurrency = own === undefined ? prepared.concurrency : { key: own, limit };
    const added = await store.add({
      id: ids.next('task'),
      owner,
      name,
      input: json,
      ...(context && { context: JSON.stringify(context) }),
      runAtMs: runAtOf(options, nowMs, wrong),
      nowMs,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      // Keys of one task don't count for another one.
      ...(concurrency && { concurrency: { key: `${name}:${concurrency.key}`, limit: concurrency.limit } }),
    });
    engine.wake();
    return added;
  };

  const cancelOf: OpenTasks['cancelOf'] = async (scope, id) => {
    const nowMs = clock.nowMs();
    const task = await store.cancel(scope, id, { nowMs, expiresAtMs: nowMs + keepMs });
    if (!task) throw await refusal(scope, id, 'The task has ended.');
    if (task.status === 'running') engine.cancelHere(id);
    return task;
  };

  const refusal = async (scope: TaskScope, id: string, what: string) =>
    (await store.find(scope, id)) ? createError('conflict', what) : noTask();

  return {
    add,
    cancelOf,
    enqueue: async (name, input, options) => toTask((await add(name, input, options)).task),
    async list({ name, status, user, workspace, limit = PAGE, cursor } = {}) {
      const wrong = (what: string) => createError('invalid', `agent.tasks.list: ${what}`);
      if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) throw wrong(`limit is 1 to ${MAX_PAGE}.`);
      if (status !== undefined && !TASK_STATUSES.includes(status)) {
        throw wrong(`status is one of ${TASK_STATUSES.join(', ')}.`);
      }
      const scope = user ? (await enter(deps, { user, workspace }, wrong)).owner : ALL;
      const stored = await store.list(scope, {
        ...(name !== undefined && { name }),
        ...(status !== undefined && { status }),
        ...(cursor !== undefined && { afterId: cursor }),
        // One extra row shows whether there is a next page.
        limit: limit + 1,
      });
      const page = stored.slice(0, limit);
      const last = page.at(-1);
      return { tasks: page.map(toTask), ...(last && stored.length > limit && { next: last.id }) };
    },
    async get(id) {
      const task = await store.find(ALL, id);
      if (!task) throw noTask();
      return toTask(task);
    },
    cancel: async (id) => toTask(await cancelOf(ALL, id)),
    async retry(id) {
      const task = await store.retry(ALL, id, clock.nowMs());
      if (!task) throw await refusal(ALL, id, 'Only failed and canceled tasks can be retried.');
      engine.wake();
      return toTask(task);
    },
  };
}

/** Returns the 404 for a task that doesn't exist, or belongs to someone else. */
export function noTask(): Error {
  return createError('not_found', 'No such task.');
}

/** Returns whose task it is. Membership is checked here and again when the task runs. */
async function enter(
  { authenticator, registry }: TasksDeps,
  { user, workspace: workspaceId }: Pick<EnqueueOptions, 'user' | 'workspace'>,
  wrong: (what: string) => Error,
): Promise<{ readonly owner: OwnerKey; readonly context?: StoredContext }> {
  if (!user) {
    if (workspaceId !== undefined) throw wrong('workspace requires user.');
    return { owner: ANONYMOUS };
  }
  if (!authenticator) throw wrong('an agent without auth stores no user data: leave out user.');
  if (typeof user.id !== 'string' || user.id === '') throw wrong("user needs an id: user: { id: 'their id' }.");
  const own = personalWorkspace(user);
  if (!registry && workspaceId !== undefined && workspaceId !== own.id) {
    throw wrong('this agent has no team workspaces: leave out workspace, or give the agent workspaces.');
  }
  const workspace = registry ? await registry.enter(user, workspaceId) : own;
  return { owner: memberKey(ownerKey(user), workspace), context: { user, workspaceId: workspace.id } };
}

/** Returns a value as JSON text; undefined for one that has none, e.g. a function, a bigint or a cycle. */
function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function isKey(key: unknown): boolean {
  return typeof key === 'string' && key.length > 0 && key.length <= MAX_IDEMPOTENCY_KEY;
}

function runAtOf({ delayMs, runAt }: EnqueueOptions, nowMs: number, wrong: (what: string) => Error): number {
  if (delayMs !== undefined && runAt !== undefined) throw wrong('give delayMs or runAt, not both.');
  const atMs = runAt === undefined ? nowMs + (delayMs ?? 0) : runAt.getTime();
  const isPast = delayMs !== undefined && delayMs < 0;
  if (Number.isFinite(atMs) && !isPast && atMs <= nowMs + MAX_DELAY_MS) return Math.round(Math.max(atMs, 0));
  throw wrong('a task must start within a year: check delayMs or runAt.');
}

/** Returns a task as the owner's code sees it. */
function toTask(stored: StoredTask): Task {
  const { id, name, status, input, context, attempt, runAtMs, createdAtMs, startedAtMs, endedAtMs } = stored;
  const { isCancelRequested, progress, result, error } = stored;
  const who = context === undefined ? undefined : (JSON.parse(context) as StoredContext);
  return {
    id,
    name,
    status,
    input: JSON.parse(input) as unknown,
    ...(who && { user: who.user, workspace: who.workspaceId }),
    attempt,
    runAtMs,
    createdAtMs,
    ...(startedAtMs !== undefined && { startedAtMs }),
    ...(endedAtMs !== undefined && { endedAtMs }),
    isCancelRequested: isCancelRequested && status === 'running',
    ...(progress !== undefined && { progress: JSON.parse(progress) as TaskProgress }),
    ...(result !== undefined && { result: JSON.parse(result) as unknown }),
    ...(error !== undefined && { error: JSON.parse(error) as NonNullable<Task['error']> }),
  };
}
