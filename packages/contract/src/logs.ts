import { z } from '@hono/zod-openapi';
import { LIMITS } from './limits.ts';
import { severitySchema } from './severity.ts';
import { unbalancedParenthesis } from './unbalanced-parenthesis.ts';

const RFC3339 =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** An RFC 3339 date-time with a time zone and up to nanosecond precision. */
export const dateTimeSchema = z
  .string()
  .regex(RFC3339, { error: 'must be an RFC 3339 date-time with a zone, such as 2026-01-31T12:00:00Z', abort: true })
  .refine(isInCalendar, { message: 'is a day that its month does not have', params: { type: 'date_invalid' } })
  .openapi({ type: 'string', format: 'date-time' });

/** A log filter. The log store parses it; only the balance of parentheses is checked here. */
export const logQuerySchema = z
  .string()
  .max(LIMITS.logsQueryCharacters, { abort: true })
  .superRefine((query, context) => {
    const column = unbalancedParenthesis(query);
    if (column === undefined) return;
    const message = `the parenthesis at column ${column} has no counterpart`;
    context.addIssue({ code: 'custom', message, params: { type: 'query_unbalanced' }, continue: false });
  });

/** Body of `POST /v1/deployment/logs`. Source: docs/contract/control-plane.md §6. */
export const logsRequestSchema = z
  .object({
    deployment_name: z.string(),
    since: dateTimeSchema.nullish(),
    limit: z.int().min(LIMITS.logsLimitMin).max(LIMITS.logsLimitMax).default(100),
    query: logQuerySchema.nullish(),
  })
  .openapi('LogsRequest');

export type LogsRequest = z.input<typeof logsRequestSchema>;

/** A log entry. */
export const logEntrySchema = z
  .object({ timestamp: z.string(), severity: severitySchema, message: z.string() })
  .openapi('LogEntry');

export type LogEntry = z.infer<typeof logEntrySchema>;

/** Response of `POST /v1/deployment/logs`; oldest first. Source: docs/contract/control-plane.md §6. */
export const logsResponseSchema = z
  .object({ logs: z.array(logEntrySchema), cursor: z.string().nullable() })
  .openapi('LogsResponse');

export type LogsResponse = z.infer<typeof logsResponseSchema>;

/** Returns false for a date that doesn't exist, e.g. February 30. */
function isInCalendar(text: string): boolean {
  const date = text.slice(0, 10);
  const time = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(date);
}
