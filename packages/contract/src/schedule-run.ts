import { z } from '@hono/zod-openapi';
import { LIMITS } from './limits.ts';

/**
 * The statuses of a run. `pending`: waits for its next attempt; `running`: an attempt is in progress; `cancelled`: its
 * schedule was removed before it ended.
 */
export const SCHEDULE_RUN_STATUSES = ['pending', 'running', 'succeeded', 'failed', 'cancelled'] as const;

export type ScheduleRunStatus = (typeof SCHEDULE_RUN_STATUSES)[number];

/** The triggers of a run: its schedule, or a request. */
export const SCHEDULE_RUN_TRIGGERS = ['schedule', 'manual'] as const;

/** One attempt of a run: a `POST /cron`. */
export const scheduleAttemptSchema = z
  .object({
    attempt: z.int().openapi({ description: 'From 1; `X-Cron-Attempt`' }),
    started_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
    status: z.int().nullable().openapi({ description: 'Status of the response; null without a response' }),
    error: z.string().nullable().openapi({ description: 'Reason for the failure' }),
  })
  .openapi('ScheduleAttempt');

export type ScheduleAttempt = z.infer<typeof scheduleAttemptSchema>;

/** A run of a deployment's schedule, with all its attempts. */
export const scheduleRunSchema = z
  .object({
    id: z.string(),
    deployment_name: z.string(),
    trigger: z.enum(SCHEDULE_RUN_TRIGGERS),
    scheduled_at: z.iso.datetime().openapi({ description: 'When it was due; `X-Cron-Scheduled-Time`' }),
    status: z.enum(SCHEDULE_RUN_STATUSES),
    attempts: z.array(scheduleAttemptSchema),
    next_attempt_at: z.iso.datetime().nullable().openapi({ description: 'While it is pending' }),
    ended_at: z.iso.datetime().nullable(),
  })
  .openapi('ScheduleRun');

export type ScheduleRun = z.infer<typeof scheduleRunSchema>;

/** Response of `GET /v1/schedule/runs`, newest first. */
export const scheduleRunsSchema = z
  .object({ runs: z.array(scheduleRunSchema), next_page_token: z.string().nullable() })
  .openapi('ScheduleRuns');

export type ScheduleRuns = z.infer<typeof scheduleRunsSchema>;

/** Query of `GET /v1/schedule/runs`. */
export const listScheduleRunsQuerySchema = z.object({
  name: z.string().openapi({ description: 'Name of the deployment' }),
  limit: z.coerce.number().int().min(1).max(LIMITS.scheduleRunsPageMax).default(50),
  page_token: z.string().optional(),
});

/** A row of `GET /v1/schedule/list`. */
export const scheduleRowSchema = z
  .object({
    deployment_name: z.string(),
    cron: z.string(),
    timezone: z.string(),
    next_run_at: z.iso.datetime().nullable().openapi({ description: 'null if it never runs again' }),
    last_run: z.union([scheduleRunSchema, z.null()]),
    is_paused: z.boolean().openapi({ description: 'True while the deployment is stopped: nothing runs then' }),
  })
  .openapi('ScheduleRow');

export type ScheduleRow = z.infer<typeof scheduleRowSchema>;

/** Body of `POST /v1/schedule/run`. */
export const runScheduleRequestSchema = z.object({ name: z.string() }).openapi('RunScheduleRequest');
