import { z } from '@hono/zod-openapi';
import { dateTimeSchema, logQuerySchema } from './logs.ts';

/** Body of `POST /v1/deployment/logs/fields`. */
export const logFieldsRequestSchema = z
  .object({
    deployment_name: z.string(),
    since: dateTimeSchema,
    until: dateTimeSchema.nullish().openapi({ description: 'Absent: now' }),
    query: logQuerySchema.nullish(),
    values: z.int().min(0).max(100).default(10).openapi({ description: 'Most values of a field' }),
  })
  .openapi('LogFieldsRequest');

export type LogFieldsRequest = z.input<typeof logFieldsRequestSchema>;

/** Response of `POST /v1/deployment/logs/fields`: the fields of entries, with their values. */
export const logFieldsSchema = z
  .object({
    entries: z.int().openapi({ description: 'Entries that were looked at' }),
    is_sampled: z.boolean().openapi({ description: 'True: there are more entries, which were not looked at' }),
    fields: z
      .array(
        z.object({
          name: z.string().openapi({ description: 'As a filter writes it', example: 'jsonPayload.user.id' }),
          entries: z.int().openapi({ description: 'Of those that were looked at, how many have it' }),
          values: z
            .array(z.object({ value: z.union([z.string(), z.number(), z.boolean()]), entries: z.int() }))
            .openapi({
              description: 'The most frequent first; texts of more than 200 characters are left out',
            }),
          has_more: z.boolean().openapi({ description: 'True: it has values that are not here' }),
        }),
      )
      .openapi({ description: 'The most frequent first; at most 300' }),
  })
  .openapi('LogFields');

export type LogFields = z.infer<typeof logFieldsSchema>;
