import { createHash, timingSafeEqual } from 'node:crypto';
import { type AgentApp, type RouteGuard, routesOf } from '@berth/agent-core';
import { ANONYMOUS, type StoredTask, type TaskStore } from '@berth/agent-store';
import { createError } from '@berth/contract';
import { cronAnswerSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { backoffMs, type Clock } from '@berth/kit';
import { z } from '@hono/zod-openapi';
import type { OpenTasks } from '../create-tasks.ts';
import { CRON } from '../task-definitions.ts';
import type { CronEvent } from '../webhook-types.ts';

/** How long a fire is followed. The platform gives a try 30 minutes. Source: docs/contract/control-plane.md §4. */
const FOLLOW_MS = 25 * 60_000;
const LOOKS = { baseMs: 50, maxMs: 1_000 } as const;

/** Dependencies of the route of the schedule. */
export interface CronRouteDeps extends RouteGuard {
  readonly tasks: Pick<OpenTasks, 'add'>;
  readonly taskStore: Pick<TaskStore, 'find'>;
  readonly clock: Clock;
  /** The platform's token, `CRON_TOKEN`; undefined without a schedule. */
  readonly cronToken: string | undefined;
  readonly isProduction: boolean;
  /** Aborts when the agent shuts down. */
  readonly closing: AbortSignal;
}

/**
 * `POST /cron`: a fire of the deployment's schedule, which becomes a task. The answer follows the task to its end, so that the
 * platform's history of the schedule is true. Source: docs/contract/agent-api.md §11.
 */
export function registerCron(app: AgentApp, deps: CronRouteDeps): void {
  const route = routesOf(app, deps, 'Tasks');
  const { tasks, taskStore, clock, closing } = deps;
  route('POST /cron', 'receiveCron', {
    access: 'public',
    errors: ['forbidden'],
    summary: 'Fire the schedule',
    description:
      'Called by the platform, with the deployment’s token in `X-Cron-Token`. Requests with the same `X-Cron-Scheduled-Time` are one fire: the later ones follow the same task. The answer comes when the task has ended.',
    request: {
      headers: z.object({
        'x-cron-token': z.string().optional(),
        'x-cron-scheduled-time': z.string().optional(),
      }),
    },
    responses: {
      200: jsonResponse(cronAnswerSchema, 'The task succeeded, or was canceled'),
      202: jsonResponse(cronAnswerSchema, 'The task still runs after 25 minutes'),
      500: jsonResponse(cronAnswerSchema, 'The task failed; the log has the reference as `error_id`'),
    },
  }).handle(async (c) => {
    const { 'x-cron-token': token, 'x-cron-scheduled-time': time = '' } = c.req.valid('header');
    checkToken(token, deps);
    const nowMs = clock.nowMs();
    const scheduledAtMs = Number.isNaN(Date.parse(time)) ? nowMs : Date.parse(time);
    const event: CronEvent = { scheduledAtMs };
    const { task } = await tasks.add(CRON, event, { idempotencyKey: String(scheduledAtMs) });
    const last = await follow(task, c.req.raw.signal);
    const error = last.error === undefined ? undefined : (JSON.parse(last.error) as { readonly reference: string });
    const { status } = last;
    const body = { task_id: last.id, status, ...(error && { error: { reference: error.reference } }) };
    if (status === 'failed')
      return c.json({ detail: `The task of this fire failed. Its reference is ${error?.reference}.`, ...body }, 500);
    return status === 'succeeded' || status === 'cancelled' ? c.json(body, 200) : c.json(body, 202);
  });

  /** Waits until a task has ended, for a while. @throws `unavailable` at shutdown: the platform then tries again. */
  const follow = async (task: StoredTask, signal: AbortSignal): Promise<StoredTask> => {
    const untilMs = clock.monotonicMs() + FOLLOW_MS;
    let last = task;
    for (let looks = 0; !isEnded(last) && clock.monotonicMs() < untilMs; looks++) {
      await clock.sleep(backoffMs(looks, LOOKS), AbortSignal.any([signal, closing])).catch(() => {});
      if (closing.aborted)
        throw createError('unavailable', 'The agent is shutting down. Another instance continues the task.');
      if (signal.aborted) return last;
      last = (await taskStore.find(ANONYMOUS, task.id)) ?? last;
    }
    return last;
  };
}

/**
 * `POST /cron` for an agent with tasks that has no handler of the schedule: it wakes the agent, whose tasks that are due then run.
 * Register it after the owner's routes, of which one may be the same. Source: docs/contract/agent-api.md §11.
 */
export function registerWakeUp(
  app: AgentApp,
  deps: Omit<CronRouteDeps, 'tasks' | 'taskStore' | 'clock' | 'closing'>,
): void {
  routesOf(app, deps, 'Tasks')('POST /cron', 'wakeUp', {
    access: 'public',
    errors: ['forbidden'],
    summary: 'Wake the agent to run due tasks',
    request: { headers: z.object({ 'x-cron-token': z.string().optional() }) },
    responses: { 200: jsonResponse(z.object({ ok: z.literal(true) }), 'Due tasks are running') },
  }).handle((c) => {
    checkToken(c.req.valid('header')['x-cron-token'], deps);
    return c.json({ ok: true as const }, 200);
  });
}

function isEnded({ status }: StoredTask): boolean {
  return status !== 'pending' && status !== 'running';
}

/** @throws `forbidden` unless the platform calls. On a developer's machine without a token, all callers may. */
function checkToken(
  token: string | undefined,
  { cronToken, isProduction }: Pick<CronRouteDeps, 'cronToken' | 'isProduction'>,
): void {
  if (cronToken === undefined) {
    if (!isProduction) return;
    throw createError('forbidden', 'This deployment has no schedule. Deploy it with --schedule.');
  }
  // Hashes have the same length, which timingSafeEqual asks for.
  const [sent, own] = [token ?? '', cronToken].map((one) => createHash('sha256').update(one).digest());
  if (!sent || !own || !timingSafeEqual(sent, own)) {
    throw createError('forbidden', 'Only the platform can run the schedule: X-Cron-Token is invalid.');
  }
}
