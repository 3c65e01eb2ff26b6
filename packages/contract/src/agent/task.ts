import { z } from '@hono/zod-openapi';

/** The statuses of a background task. Source: docs/contract/agent-api.md §11. */
export const taskStatusSchema = z
  .enum(['pending', 'running', 'succeeded', 'failed', 'cancelled'])
  .openapi('TaskStatus');

/** A background task, as the person it works for sees it. Source: docs/contract/agent-api.md §11. */
export const taskSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    status: taskStatusSchema,
    /** Number of the last attempt; 0 before the first one. */
    attempt: z.int(),
    progress: z.object({ fraction: z.number().optional(), message: z.string().optional() }).nullable(),
    /** Return value of the task's handler. */
    result: z.unknown().optional(),
    error: z.object({ reference: z.string(), message: z.string().optional() }).nullable(),
    /** True while a running task is being canceled. */
    cancel_requested: z.boolean(),
    created_at: z.iso.datetime(),
    /** The earliest start of the next attempt. */
    run_at: z.iso.datetime(),
    started_at: z.iso.datetime().nullable(),
    ended_at: z.iso.datetime().nullable(),
  })
  .openapi('Task');

export type TaskRow = z.infer<typeof taskSchema>;

/** Response of `POST /webhooks/{name}`: the event is durable. Source: docs/contract/agent-api.md §11. */
export const acceptedSchema = z.object({ ok: z.literal(true), task_id: z.string() }).openapi('AcceptedEvent');

/** Response of `POST /cron`. Source: docs/contract/agent-api.md §11. */
export const cronAnswerSchema = z
  .object({
    task_id: z.string(),
    status: taskStatusSchema,
    error: z.object({ reference: z.string() }).optional(),
    detail: z.string().optional(),
  })
  .openapi('CronAnswer');
