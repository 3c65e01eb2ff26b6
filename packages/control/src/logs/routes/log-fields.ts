import { defineOperation } from '@berth/accounts';
import { createError, logFieldsRequestSchema, logFieldsSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import { parseFilter } from '@berth/logstore';
import { z } from '@hono/zod-openapi';
import { getReadableScope, logFilterSchema, parseLogSpan } from '../readable-scope.ts';
import type { LogSpanDeps } from './log-histogram.ts';

// Not `extend`, which the OpenAPI document would show as a schema that extends itself.
const requestSchema = z
  .object({ ...logFieldsRequestSchema.shape, query: logFilterSchema.nullish() })
  .openapi('LogFieldsRequest');

/** `POST /v1/deployment/logs/fields` [+]. */
export const registerLogFields = defineOperation(
  'POST /v1/deployment/logs/fields',
  {
    scope: 'logs',
    errors: ['not_found'],
    operationId: 'listLogFields',
    tags: ['Logs'],
    summary: "List the fields and values of a deployment's log entries",
    description:
      '`query` is the filter of `POST /v1/deployment/logs`. Samples about 12,000 entries across the time range, or all ' +
      'entries if there are fewer: the counts show relative frequency, not totals.',
    request: { body: jsonBody(requestSchema) },
    responses: { 200: jsonResponse(logFieldsSchema, 'Fields and values, most frequent first') },
  },
  async (c, deps: LogSpanDeps) => {
    const { deployment_name: name, since, until, query, values: most } = c.req.valid('json');
    const span = parseLogSpan({ since, until }, deps.clock.nowMs());
    const scope = await getReadableScope(deps, c.get('principal').accountId, name);
    const filter = parseFilter(query ?? '');
    const { signal } = c.req.raw;
    const wanted = { ...span, signal, ...(filter ? { filter } : {}) };
    const { entries, isSampled, fields } = await deps.logs.survey(scope, wanted).catch((error: unknown) => {
      throw signal.aborted ? createError('unavailable', 'The client disconnected.', { cause: error }) : error;
    });
    const answer = {
      entries,
      is_sampled: isSampled,
      fields: fields.map(({ values, hasMore, ...field }) => ({
        ...field,
        values: values.slice(0, most),
        has_more: hasMore || values.length > most,
      })),
    };
    return c.json(answer, 200);
  },
);
