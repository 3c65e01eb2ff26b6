import { z } from '@hono/zod-openapi';
import { LIMITS } from './limits.ts';
import { severitySchema } from './severity.ts';

const RFC3339 =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** An RFC 3339 time with a zone and up to nanoseconds. */
export const dateTimeSchema = z
  .string()
  .regex(RFC3339, 'must be an RFC 3339 date-time with a zone, such as 2026-01-31T12:00:00Z')
  .openapi({ type: 'string', format: 'date-time' });

/** Body of `POST /v1/deployment/logs`. Source: spec section 2.2. */
export const logsRequestSchema = z
  .object({
    deployment_name: z.string(),
    since: dateTimeSchema.nullish(),
    limit: z.int().min(LIMITS.logsLimitMin).max(LIMITS.logsLimitMax).default(100),
    query: z.string().max(LIMITS.logsQueryCharacters).nullish(),
  })
  .openapi('LogsRequest');

export type LogsRequest = z.input<typeof logsRequestSchema>;

export const logEntrySchema = z
  .object({ timestamp: z.string(), severity: severitySchema, message: z.string() })
  .openapi('LogEntry');

export type LogEntry = z.infer<typeof logEntrySchema>;

/** Answer of `POST /v1/deployment/logs`; oldest first. Source: spec section 2.3. */
export const logsResponseSchema = z
  .object({ logs: z.array(logEntrySchema), cursor: z.string().nullable() })
  .openapi('LogsResponse');

export type LogsResponse = z.infer<typeof logsResponseSchema>;
