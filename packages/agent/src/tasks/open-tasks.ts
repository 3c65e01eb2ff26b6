import type { RouteGuard } from '@berth/agent-core';
import type { TaskLeases, TaskStore } from '@berth/agent-store';
import { createError } from '@berth/contract';
import type { Clock, IdSource, Logger } from '@berth/kit';
import { createTaskEngine } from './create-task-engine.ts';
import { createTasks, type OpenTasks } from './create-tasks.ts';
import type { AttemptDeps } from './run-attempt.ts';
import type { TaskDefinitions } from './task-definitions.ts';
import type { TaskSettings } from './task-types.ts';

const DAY_MS = 86_400_000;
const CONCURRENCY = 10;
const KEEP_DAYS = 7;
const KEEP_FAILED_DAYS = 30;

/** Dependencies of {@link openTasks}. */
export interface TasksOptions {
  readonly definitions: TaskDefinitions;
  readonly settings: TaskSettings | undefined;
  readonly store: TaskStore;
  readonly guard: RouteGuard;
  readonly run: AttemptDeps['run'];
  readonly runOnce: AttemptDeps['runOnce'];
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  readonly instance: string;
  readonly leases?: TaskLeases | undefined;
  readonly replaced?: AbortSignal | undefined;
}

/** The background tasks of an open agent. */
export interface OpenTaskEngine {
  readonly tasks: OpenTasks;
  /** Whether tasks run here, are due, or are due soon. */
  readonly isBusy: boolean;
  /** Aborts when the agent starts to shut down. */
  readonly closing: AbortSignal;
  /** Starts no more tasks, lets those that run finish for `drainMs`, and releases the rest to other instances. */
  close(drainMs: number): Promise<void>;
}

/** Opens the background tasks of an agent. Without definitions nothing runs. */
export function openTasks(options: TasksOptions): OpenTaskEngine {
  const {
    definitions,
    settings = {},
    store,
    guard,
    run,
    runOnce,
    clock,
    ids,
    logger,
    instance,
    leases,
    replaced,
  } = options;
  const keepMs = {
    ended: (settings.keepDays ?? KEEP_DAYS) * DAY_MS,
    failed: (settings.keepFailedDays ?? KEEP_FAILED_DAYS) * DAY_MS,
  };
  const common = { store, definitions, clock, logger, registry: guard.registry };
  const isUsed = definitions.names.length > 0;
  const { concurrency = CONCURRENCY } = settings;
  const engine = isUsed
    ? createTaskEngine({ ...common, run, runOnce, keepMs, leases, replaced, instance, concurrency })
    : undefined;
  const tasks = createTasks({
    ...common,
    authenticator: guard.authenticator,
    engine: engine ?? { wake() {}, cancelHere() {} },
    ids,
    keepMs: keepMs.ended,
  });
  const closing = new AbortController();
  return {
    tasks,
    get isBusy() {
      return engine?.isBusy ?? false;
    },
    closing: closing.signal,
    async close(drainMs) {
      closing.abort();
      await engine?.close({ drainMs });
    },
  };
}

/** Checks the settings of tasks. @throws `invalid` naming the one that is wrong. */
export function checkTaskSettings(settings: TaskSettings): void {
  const most = { concurrency: 1_000, keepDays: 3_650, keepFailedDays: 3_650 } as const;
  for (const [name, limit] of Object.entries(most)) {
    const value = settings[name as keyof typeof most];
    if (value === undefined || (Number.isInteger(value) && value >= 1 && value <= limit)) continue;
    throw createError('invalid', `defineAgent: tasks.${name} is a whole number from 1 to ${limit}, not ${value}.`);
  }
}
