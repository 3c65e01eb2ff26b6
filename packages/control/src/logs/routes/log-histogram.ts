import { defineOperation } from '@berth/accounts';
import { createError, logHistogramRequestSchema, logHistogramSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { Clock } from '@berth/kit';
import { parseFilter } from '@berth/logstore';
import { z } from '@hono/zod-openapi';
import { getReadableScope, type LogRouteDeps, logFilterSchema, parseLogSpan } from '../readable-scope.ts';

// Not `extend`, which the OpenAPI document would show as a schema that extends itself.
const requestSchema = z
  .object({ ...logHistogramRequestSchema.shape, query: logFilterSchema.nullish() })
  .openapi('LogHistogramRequest');

/** Dependencies of {@link registerLogHistogram}. */
export interface LogSpanDeps extends LogRouteDeps {
  readonly clock: Clock;
}

const BUDGET_MS = 5_000;

/** `POST /v1/deployment/logs/histogram` [+]. */
export const registerLogHistogram = defineOperation(
  'POST /v1/deployment/logs/histogram',
  {
    scope: 'logs',
    errors: ['not_found'],
    operationId: 'getLogHistogram',
    tags: ['Logs'],
    summary: 'Count the log entries of a deployment by time and severity',
    description:
      '`query` is the filter of `POST /v1/deployment/logs` and matches the same entries. All matching entries are ' +
      'counted; if that takes longer than five seconds, `counted_until` tells how far counting got.',
    request: { body: jsonBody(requestSchema) },
    responses: { 200: jsonResponse(logHistogramSchema, 'Buckets of equal length, oldest first') },
  },
  async (c, deps: LogSpanDeps) => {
    const { deployment_name: name, since, until, buckets, query } = c.req.valid('json');
    const { fromMs, untilMs } = parseLogSpan({ since, until }, deps.clock.nowMs());
    const scope = await getReadableScope(deps, c.get('principal').accountId, name);
    const filter = parseFilter(query ?? '');
    const { signal } = c.req.raw;
    const span = { fromMs, untilMs, buckets, budgetMs: BUDGET_MS, signal, ...(filter ? { filter } : {}) };
    const counted = await deps.logs.count(scope, span).catch((error: unknown) => {
      throw signal.aborted ? createError('unavailable', 'The client disconnected.', { cause: error }) : error;
    });
    const stepMs = (untilMs - fromMs) / buckets;
    const answer = {
      step_ms: stepMs,
      buckets: counted.buckets.map((counts, index) => ({
        time: new Date(fromMs + index * stepMs).toISOString(),
        counts,
      })),
      total: counted.buckets.flatMap((counts) => Object.values(counts)).reduce((sum, count) => sum + count, 0),
      counted_until: counted.countedUntil ? new Date(Date.parse(counted.countedUntil)).toISOString() : null,
    };
    return c.json(answer, 200);
  },
);
