import type { StoredTask, TaskLeases, TaskStore } from '@berth/agent-store';
import { describeError, runInBackground, type Timer } from '@berth/kit';
import { type Attempt, type AttemptDeps, failedEnd, startAttempt } from './run-attempt.ts';
import type { TaskDefinitions } from './task-definitions.ts';

/** How often a process looks for due tasks of others and for cancellations. Its own tasks start at once. */
const LOOK_MS = 1_000;
/** How long a task is left to a process that gives no sign. */
export const TASK_LEASE_MS = 60_000;
const HEARTBEAT_MS = 15_000;
const SWEEP_MS = 10_000;
const SWEEP_TASKS = 100;
/** A task that is due this soon keeps its instance: stopping and starting it would take longer. */
const SOON_MS = 60_000;

/** Dependencies of the engine. */
export interface TaskEngineDeps extends Omit<AttemptDeps, 'store' | 'isClosing'> {
  readonly store: TaskStore;
  readonly definitions: Pick<TaskDefinitions, 'find' | 'names'>;
  /** Extends leases while the event loop is blocked; without it only the engine does. */
  readonly leases?: TaskLeases | undefined;
  /** Aborts when a newer revision has replaced this instance: it claims no more tasks, and finishes those that it has. */
  readonly replaced?: AbortSignal | undefined;
  /** Identifies this process among those that share the store. */
  readonly instance: string;
  /** Attempts that run at a time. */
  readonly concurrency: number;
}

/** Claims and runs the tasks of an agent. */
export type TaskEngine = ReturnType<typeof createTaskEngine>;

/**
 * Creates the engine of background tasks. Invariants:
 *
 * 1. An attempt runs in one process, which holds a lease on its task. The engine extends it every 15 s, and a thread of its own does
 *    while a handler blocks the engine (docs/decisions/0049-heartbeats-come-from-a-thread.md).
 * 2. A task whose process is gone runs again a minute after the last extension at the latest; its handler may then run twice.
 * 3. An attempt's end is stored once; the end of an attempt that was taken over is dropped.
 * 4. An instance that is replaced begins no attempt: its successor's code does.
 * 5. An attempt that the shutdown broke off counts no failure, and its task is due at once.
 */
export function createTaskEngine(deps: TaskEngineDeps) {
  const { store, definitions, leases, replaced, clock, logger, instance, concurrency } = deps;
  const { names } = definitions;
  const running = new Map<string, Attempt>();
  const working = new Set<Promise<unknown>>();
  let isClosed = false;
  let isLooking = false;
  let hasNews = false;
  let nextDueMs: number | undefined;
  let timer: Timer | undefined;
  let heartbeatDueMs = 0;
  let sweepDueMs = 0;

  /** Work that `close` waits for. */
  const keep = <Result>(work: Promise<Result>): Promise<Result> => {
    working.add(work);
    const done = () => void working.delete(work);
    work.then(done, done);
    return work;
  };

  const start = (task: StoredTask) => {
    const definition = definitions.find(task.name);
    // Only tasks with a definition are claimed.
    if (!definition) return;
    if (running.size === 0) heartbeatDueMs = clock.monotonicMs() + HEARTBEAT_MS;
    const attempt = startAttempt(definition, task, { ...deps, isClosing: () => isClosed });
    running.set(task.id, attempt);
    // A process that hangs for good is given up some time after the attempt's timeout.
    leases?.add(task.id, definition.timeoutMs + TASK_LEASE_MS);
    const ended = attempt.ended.then(() => {
      if (running.get(task.id) === attempt) {
        running.delete(task.id);
        leases?.remove(task.id);
      }
      wake();
    });
    if (isClosed) attempt.abort('closing');
    runInBackground('run a task', keep(ended), logger);
  };

  /** Starts what is due, until there is nothing or no room. */
  const claim = async () => {
    while (!isClosed && !replaced?.aborted && running.size < concurrency) {
      const nowMs = clock.nowMs();
      nextDueMs = await store.nextDueMs(names);
      if (nextDueMs === undefined || nextDueMs > nowMs) return;
      const limit = concurrency - running.size;
      const tasks = await store.claim({ names, holder: instance, nowMs, leaseUntilMs: nowMs + TASK_LEASE_MS, limit });
      for (const task of await stillHeld(tasks, nowMs)) start(task);
      if (tasks.length === 0) return;
    }
  };

  /** Returns those of the claimed tasks whose leases can't have ended while a blocked loop held up the answer. */
  const stillHeld = async (tasks: readonly StoredTask[], claimedAtMs: number): Promise<readonly StoredTask[]> => {
    const nowMs = clock.nowMs();
    if (tasks.length === 0 || nowMs - claimedAtMs < TASK_LEASE_MS / 2) return tasks;
    const held = new Map((await store.extend(instance, nowMs + TASK_LEASE_MS)).map(({ id, attempt }) => [id, attempt]));
    return stillHeld(
      tasks.filter(({ id, attempt }) => held.get(id) === attempt),
      nowMs,
    );
  };

  const keepUp = async () => {
    const monotonicMs = clock.monotonicMs();
    if (running.size > 0 && monotonicMs >= heartbeatDueMs) {
      const before = [...running];
      const held = await store.extend(instance, clock.nowMs() + TASK_LEASE_MS);
      heartbeatDueMs = monotonicMs + HEARTBEAT_MS;
      const attempts = new Map(held.map(({ id, attempt }) => [id, attempt]));
      for (const [id, attempt] of before) if (attempts.get(id) !== attempt.number) attempt.abort('lost');
    }
    if (running.size > 0) for (const id of await store.cancelRequests(instance)) running.get(id)?.abort('cancelled');
    if (monotonicMs >= sweepDueMs) {
      sweepDueMs = monotonicMs + SWEEP_MS;
      for (const task of await store.listExpired(names, clock.nowMs(), SWEEP_TASKS)) await giveUp(task);
      await store.purge(clock.nowMs());
    }
  };

  /** Ends an attempt whose process is gone. */
  const giveUp = async (task: StoredTask) => {
    const definition = definitions.find(task.name);
    if (!definition) return;
    const log = logger.child({ task: task.name, taskId: task.id, attempt: task.attempt });
    const error = new Error('the process ended without storing the result of the attempt');
    const end = failedEnd(error, { definition, task, deps: { ...deps, isClosing: () => isClosed }, log });
    await store.settle(task.id, task.attempt, { ...end, leaseBeforeMs: clock.nowMs() });
  };

  const look = async () => {
    isLooking = true;
    do {
      hasNews = false;
      await keepUp();
      await claim();
    } while (hasNews && !isClosed);
  };

  /** Looks now, and again after a while. */
  const wake = () => {
    hasNews = true;
    if (isLooking || isClosed) return;
    timer?.cancel();
    const work = look()
      .catch((error) => logger.error({ error: describeError(error) }, 'heartbeats of background tasks failed'))
      .finally(() => {
        isLooking = false;
        if (isClosed) return;
        if (hasNews) wake();
        else timer = clock.setTimer(LOOK_MS, wake);
      });
    runInBackground('keep up background tasks', keep(work), logger);
  };

  /** Says once which tasks wait for a handler that this program lacks. */
  const reportOthers = async () => {
    const others = await store.otherNames(names);
    if (others.length > 0) logger.warn({ tasks: others }, 'pending tasks have no handler in this agent');
  };
  runInBackground('look for tasks without a handler', keep(reportOthers()), logger);
  wake();

  return {
    wake,
    /** Whether tasks run here, are due, or are due soon. */
    get isBusy(): boolean {
      if (running.size > 0 || replaced?.aborted) return running.size > 0;
      return nextDueMs !== undefined && nextDueMs <= clock.nowMs() + SOON_MS;
    },
    /** Aborts a task that runs here, without waiting for the next look. */
    cancelHere: (id: string) => running.get(id)?.abort('cancelled'),
    /** Starts no more tasks, lets attempts finish for `drainMs`, then breaks them off and releases their tasks. */
    async close({ drainMs = 0 }: { readonly drainMs?: number } = {}): Promise<void> {
      isClosed = true;
      timer?.cancel();
      const breakOff = () => {
        for (const attempt of running.values()) attempt.abort('closing');
      };
      const drained = drainMs > 0 ? clock.setTimer(drainMs, breakOff) : breakOff();
      while (working.size > 0) await Promise.allSettled(working);
      drained?.cancel();
    },
  };
}
