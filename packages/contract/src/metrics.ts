import { z } from '@hono/zod-openapi';

/** Spans that metrics can be asked for, and their milliseconds. */
export const METRICS_WINDOWS = {
  '15m': 900_000,
  '1h': 3_600_000,
  '6h': 21_600_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
} as const;

export type MetricsWindow = keyof typeof METRICS_WINDOWS;

/** Query of `GET /v1/deployment/metrics`. */
export const metricsRequestSchema = z.object({
  name: z.string(),
  window: z.enum(Object.keys(METRICS_WINDOWS) as [MetricsWindow, ...MetricsWindow[]]).default('1h'),
});

/** What a deployment served in one step of time. */
export const metricsPointSchema = z
  .object({
    time: z.iso.datetime().openapi({ description: 'When the step begins' }),
    requests: z.number().int(),
    errors: z.number().int().openapi({ description: 'Of them, those answered with 500 or above' }),
    p50_ms: z.number(),
    p95_ms: z.number(),
    p99_ms: z.number(),
    instances: z.number().int().openapi({ description: 'Instances that served at least one of them' }),
    cold_starts: z.number().int().openapi({ description: 'Requests that waited for an instance to start' }),
  })
  .openapi('MetricsPoint');

/** Answer of `GET /v1/deployment/metrics`: a point for each step that had a request, oldest first. */
export const metricsSchema = z
  .object({ step_seconds: z.number().int(), points: z.array(metricsPointSchema) })
  .openapi('Metrics');

export type Metrics = z.infer<typeof metricsSchema>;
