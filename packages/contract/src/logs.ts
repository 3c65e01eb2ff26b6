import { z } from '@hono/zod-openapi';
import { LIMITS } from './limits.ts';
import { SEVERITIES } from './severities.ts';

/** The severity of a log entry. */
export const severitySchema = z.enum(SEVERITIES);

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
    with_instance: z.boolean().optional().openapi({ description: 'Adds `instance` to the entries' }),
  })
  .openapi('LogsRequest');

export type LogsRequest = z.input<typeof logsRequestSchema>;

/** A log entry. */
export const logEntrySchema = z
  .object({
    timestamp: z.string(),
    severity: severitySchema,
    message: z.string(),
    instance: z.string().nullable().optional().openapi({
      description: 'Only with `with_instance`; null for an entry of no instance, such as a build',
    }),
  })
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

/** Matches quoted text and comments, whose parentheses are ignored, or a single parenthesis. */
const TOKENS = /"(?:[^"\\]|\\[\s\S]?)*"?|--[^\n]*|[()]/g;

/**
 * Returns the column, from 1, of the first unmatched `)` of a log filter, else of the last unmatched `(`; undefined when
 * all parentheses are balanced.
 */
export function unbalancedParenthesis(query: string): number | undefined {
  const open: number[] = [];
  for (const match of query.matchAll(TOKENS)) {
    const column = match.index + 1;
    if (match[0] === '(') open.push(column);
    else if (match[0] === ')' && open.pop() === undefined) return column;
  }
  return open.at(-1);
}

/** Body of `POST /v1/deployment/logs/fields`. */
export const logFieldsRequestSchema = z
  .object({
    deployment_name: z.string(),
    since: dateTimeSchema,
    until: dateTimeSchema.nullish().openapi({ description: 'Absent: now' }),
    query: logQuerySchema.nullish(),
    values: z.int().min(0).max(100).default(10).openapi({ description: 'Maximum values of a field' }),
  })
  .openapi('LogFieldsRequest');

export type LogFieldsRequest = z.input<typeof logFieldsRequestSchema>;

/** Response of `POST /v1/deployment/logs/fields`: the fields of entries, with their values. */
export const logFieldsSchema = z
  .object({
    entries: z.int().openapi({ description: 'Number of examined entries' }),
    is_sampled: z.boolean().openapi({ description: 'True if more entries exist that were not examined' }),
    fields: z
      .array(
        z.object({
          name: z.string().openapi({ description: 'The field as written in a filter', example: 'jsonPayload.user.id' }),
          entries: z.int().openapi({ description: 'Number of examined entries that have it' }),
          values: z
            .array(z.object({ value: z.union([z.string(), z.number(), z.boolean()]), entries: z.int() }))
            .openapi({
              description: 'Most frequent first; omits texts of more than 200 characters',
            }),
          has_more: z.boolean().openapi({ description: 'True if it has more values' }),
        }),
      )
      .openapi({ description: 'Most frequent first; at most 300' }),
  })
  .openapi('LogFields');

export type LogFields = z.infer<typeof logFieldsSchema>;

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
        time: z.iso.datetime().openapi({ description: 'Start of the bucket' }),
        counts: z
          .partialRecord(severitySchema, z.int())
          .openapi({ description: 'By severity; severities without entries are absent' }),
      }),
    ),
    total: z.int(),
    counted_until: z.iso.datetime().nullable().openapi({
      description: 'Null if all entries were counted; otherwise the time up to which they were',
    }),
  })
  .openapi('LogHistogram');

export type LogHistogram = z.infer<typeof logHistogramSchema>;
