import type { RouteGuard } from '@berth/agent-core';
import type { StoredTask, TaskStore } from '@berth/agent-store';
import type { TaskRow } from '@berth/contract/agent';
import { z } from '@hono/zod-openapi';
import type { OpenTasks } from '../create-tasks.ts';

/** Dependencies of the routes of a person's tasks. */
export interface TaskRouteDeps extends RouteGuard {
  readonly tasks: Pick<OpenTasks, 'cancelOf'>;
  readonly taskStore: Pick<TaskStore, 'find' | 'list'>;
}

/** The path parameters of a task. */
export const taskParams = z.object({ id: z.string().max(64) });

const timeOf = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());

/** Returns a task as its person sees it: without its input, which may hold what only the agent knows. */
export function toTaskRow(task: StoredTask): TaskRow {
  const { id, name, status, attempt, progress, result, error } = task;
  return {
    id,
    name,
    status,
    attempt,
    progress: progress === undefined ? null : (JSON.parse(progress) as TaskRow['progress']),
    ...(result !== undefined && { result: JSON.parse(result) as unknown }),
    error: error === undefined ? null : (JSON.parse(error) as TaskRow['error']),
    cancel_requested: task.isCancelRequested && status === 'running',
    created_at: new Date(task.createdAtMs).toISOString(),
    run_at: new Date(task.runAtMs).toISOString(),
    started_at: timeOf(task.startedAtMs),
    ended_at: timeOf(task.endedAtMs),
  };
}
