import { z } from '@hono/zod-openapi';
import { dateTimeSchema, logQuerySchema } from './logs.ts';
import { severitySchema } from './severity.ts';

/** Body of `POST /v1/deployment/logs/histogram`. */
export const logHistogramRequestSchema = z
  .object({
    deployment_name: z.string(),
    since: dateTimeSchema,
    until: dateTimeSchema.nullish().openapi({ description: 'Absent: now' }),
    buckets: z.int().min(1).max(200).default(60),
    query: logQuerySchema.nullish(),
  })
  .openapi('LogHistogramRequest');

export type LogHistogramRequest = z.input<typeof logHistogramRequestSchema>;

/** Response of `POST /v1/deployment/logs/histogram`: the number of matching entries by time and severity. */
export const logHistogramSchema = z
  .object({
    step_ms: z.number().openapi({ description: 'Length of a bucket' }),
    buckets: z.array(
      z.object({
        time: z.iso.datetime().openapi({ description: 'When the bucket begins' }),
        counts: z
          .partialRecord(severitySchema, z.int())
          .openapi({ description: 'By severity; one with none is absent' }),
      }),
    ),
    total: z.int(),
    counted_until: z.iso.datetime().nullable().openapi({
      description: 'Null: all is counted. Else the entries after it are not: the span has too many for one call',
    }),
  })
  .openapi('LogHistogram');

export type LogHistogram = z.infer<typeof logHistogramSchema>;
