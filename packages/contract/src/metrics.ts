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

/** What a deployment served and used in one step of time; latencies are 0 where it served nothing, use where nothing ran. */
export const metricsPointSchema = z
  .object({
    time: z.iso.datetime().openapi({ description: 'When the step begins' }),
    requests: z.number().int(),
    errors: z.number().int().openapi({ description: 'Of them, those answered with 500 or above' }),
    p50_ms: z.number(),
    p95_ms: z.number(),
    p99_ms: z.number(),
    instances: z.number().int().openapi({ description: 'Instances that ran at once, at the most, or that served' }),
    cold_starts: z.number().int().openapi({ description: 'Requests that waited for an instance to start' }),
    cpu_seconds: z.number().openapi({ description: 'Seconds of one CPU that all instances used together' }),
    memory_bytes: z.number().int().openapi({ description: 'Memory of an instance while it ran, its mean' }),
    memory_max_bytes: z.number().int().openapi({ description: 'The most memory that an instance was seen with' }),
  })
  .openapi('MetricsPoint');

/** Answer of `GET /v1/deployment/metrics`: a point for each step in which something was served or ran, oldest first. */
export const metricsSchema = z
  .object({ step_seconds: z.number().int(), points: z.array(metricsPointSchema) })
  .openapi('Metrics');

export type MetricsPoint = z.infer<typeof metricsPointSchema>;
export type Metrics = z.infer<typeof metricsSchema>;
