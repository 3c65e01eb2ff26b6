import { z } from '@hono/zod-openapi';

/** The windows of a metrics query, in milliseconds. */
export const METRICS_WINDOWS = {
  '15m': 900_000,
  '1h': 3_600_000,
  '6h': 21_600_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
} as const;

export type MetricsWindow = keyof typeof METRICS_WINDOWS;

/** The maximum range of a metrics query: 366 days. */
export const METRICS_RANGE_MAX_MS = 366 * 86_400_000;

const moment = z.iso.datetime({ offset: true }).optional();

/** Query of `GET /v1/deployment/metrics`: a window that ends at `to`, or the range from `from` to `to`. */
export const metricsRequestSchema = z.object({
  name: z.string(),
  window: z.enum(Object.keys(METRICS_WINDOWS) as [MetricsWindow, ...MetricsWindow[]]).default('1h'),
  from: moment.openapi({ description: 'Instead of `window`' }),
  to: moment.openapi({ description: 'Now by default' }),
});

/**
 * The phases of a cold start, as mean milliseconds of the requests that waited for one. The phases are consecutive; their
 * sum is the time to the first byte.
 */
export const coldStartPartsSchema = z
  .object({
    queued: z.number().openapi({ description: 'Until it was admitted to the queue' }),
    scheduled: z.number().openapi({ description: 'Until an instance was decided on and had its place' }),
    spawned: z.number().openapi({ description: 'Until its files were laid out and its process began' }),
    port_open: z.number().openapi({ description: 'Until the program answered on its port' }),
    first_byte: z.number().openapi({ description: 'Until the first byte of the answer came' }),
  })
  .openapi('ColdStartParts');

export type ColdStartParts = z.infer<typeof coldStartPartsSchema>;

/**
 * The requests and resource use of a deployment in one time step. Latencies are 0 without requests, resource use without
 * instances.
 */
export const metricsPointSchema = z
  .object({
    time: z.iso.datetime().openapi({ description: 'Start of the step' }),
    requests: z.number().int(),
    errors: z.number().int().openapi({ description: 'Requests answered with status 500 or above' }),
    p50_ms: z.number(),
    p95_ms: z.number(),
    p99_ms: z.number(),
    instances: z
      .number()
      .int()
      .openapi({ description: 'Maximum number of instances that ran or served at the same time' }),
    cold_starts: z.number().int().openapi({ description: 'Requests with a cold start' }),
    cold_start_ms: z.union([coldStartPartsSchema, z.null()]).openapi({ description: 'null without cold starts' }),
    cpu_seconds: z.number().openapi({ description: 'Seconds of one CPU that all instances used together' }),
    memory_bytes: z.number().int().openapi({ description: 'Average memory per running instance' }),
    memory_max_bytes: z.number().int().openapi({ description: 'Maximum memory of an instance' }),
  })
  .openapi('MetricsPoint');

/** Response of `GET /v1/deployment/metrics`: a point for each step with requests or instances, oldest first. */
export const metricsSchema = z
  .object({ step_seconds: z.number().int(), points: z.array(metricsPointSchema) })
  .openapi('Metrics');

export type MetricsPoint = z.infer<typeof metricsPointSchema>;
export type Metrics = z.infer<typeof metricsSchema>;
