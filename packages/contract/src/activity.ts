import { z } from '@hono/zod-openapi';

/** The windows of an activity query, with the length and number of their steps. */
export const ACTIVITY_WINDOWS = {
  '1h': { stepMs: 60_000, steps: 60 },
  '24h': { stepMs: 900_000, steps: 96 },
} as const;

export type ActivityWindow = keyof typeof ACTIVITY_WINDOWS;

/** Query of `GET /v1/activity`. */
export const activityQuerySchema = z.object({
  window: z.enum(Object.keys(ACTIVITY_WINDOWS) as [ActivityWindow, ...ActivityWindow[]]).default('1h'),
});

const countsSchema = z.array(z.int());

/** Response of `GET /v1/activity`: a count for each step, oldest first. The last step is still in progress. */
export const activitySchema = z
  .object({
    start: z.iso.datetime().openapi({ description: 'Start of the first step' }),
    step_seconds: z.int(),
    is_complete: z
      .boolean()
      .openapi({ description: 'False while requests from before a restart are still being counted' }),
    deployments: z.array(
      z.object({
        name: z.string(),
        requests: countsSchema,
        errors: countsSchema.openapi({ description: 'Requests answered with status 500 or above' }),
        p95_ms: z.number().nullable().optional().openapi({
          description:
            'Latency that 95 % of the requests of the last hour stayed below, in milliseconds, to within 12 %; null without a request since the platform started',
        }),
      }),
    ),
  })
  .openapi('Activity');

export type Activity = z.infer<typeof activitySchema>;
