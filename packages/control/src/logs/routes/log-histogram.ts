import {
  createError,
  createValidationError,
  type LogHistogram,
  logHistogramRequestSchema,
  logHistogramSchema,
  type Severity,
} from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { Clock } from '@berth/kit';
import { type LogFilter, type LogScope, type LogStore, normalizeTimestamp, parseFilter } from '@berth/logstore';
import { z } from '@hono/zod-openapi';
import type { Api } from '../../http/api.ts';
import { defineRoute } from '../../http/define-route.ts';
import { logFilterSchema } from '../log-filter-schema.ts';
import { getReadableScope, type LogRouteDeps } from '../readable-scope.ts';

// Not `extend`: the document would then call the schema an extension of itself.
const requestSchema = z
  .object({ ...logHistogramRequestSchema.shape, query: logFilterSchema.nullish() })
  .openapi('LogHistogramRequest');

const route = defineRoute(
  { scope: 'logs', errors: ['not_found'] },
  {
    method: 'post',
    path: '/v1/deployment/logs/histogram',
    operationId: 'getLogHistogram',
    tags: ['Logs'],
    summary: 'Count the log entries of a deployment by time and severity',
    description:
      '`query` is the filter of `POST /v1/deployment/logs`, and finds the same entries. Counts the oldest 100,000, for five seconds at most.',
    request: { body: jsonBody(requestSchema) },
    responses: { 200: jsonResponse(logHistogramSchema, 'Buckets of equal length, oldest first') },
  },
);

export interface LogHistogramDeps extends LogRouteDeps {
  readonly clock: Clock;
}

/** What the log store gives at a time. */
const PAGE = 1_000;
const MAX_ENTRIES = 100_000;
const MAX_MS = 5_000;

/** `POST /v1/deployment/logs/histogram` [+]. */
export function registerLogHistogram(api: Api, deps: LogHistogramDeps): void {
  const { clock, logs } = deps;
  api.openapi(route, async (c) => {
    const { deployment_name: name, since, until, buckets, query } = c.req.valid('json');
    const fromMs = Date.parse(normalizeTimestamp(since));
    const untilMs = until ? Date.parse(normalizeTimestamp(until)) : clock.nowMs();
    if (untilMs <= fromMs) {
      const loc = ['body', until ? 'until' : 'since'];
      throw createValidationError([{ loc, msg: 'the span must end after it begins', type: 'span_empty' }]);
    }
    const scope = await getReadableScope(deps, c.get('principal').accountId, name);
    const span = { fromMs, untilMs, buckets, filter: parseFilter(query ?? ''), signal: c.req.raw.signal };
    const histogram = await count(scope, span, { logs, clock }).catch((error: unknown) => {
      throw span.signal.aborted ? createError('unavailable', 'The client has gone.', { cause: error }) : error;
    });
    return c.json(histogram, 200);
  });
}

interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly buckets: number;
  readonly filter: LogFilter | undefined;
  readonly signal: AbortSignal;
}

async function count(
  scope: LogScope,
  { fromMs, untilMs, buckets, filter, signal }: Span,
  { logs, clock }: { readonly logs: Pick<LogStore, 'read'>; readonly clock: Clock },
): Promise<LogHistogram> {
  const stepMs = (untilMs - fromMs) / buckets;
  const counts: Partial<Record<Severity, number>>[] = Array.from({ length: buckets }, () => ({}));
  const startedMs = clock.monotonicMs();
  // The store's `since` is exclusive, and its times have nanoseconds: a millisecond before all of the first one.
  let since = new Date(Math.max(1, fromMs) - 1).toISOString().replace('Z', '999999Z');
  let total = 0;
  const answer = (countedUntil: string | null): LogHistogram => ({
    step_ms: stepMs,
    buckets: counts.map((each, index) => ({ time: new Date(fromMs + index * stepMs).toISOString(), counts: each })),
    total,
    counted_until: countedUntil,
  });
  while (true) {
    const page = await logs.read(scope, { since, limit: PAGE, signal, ...(filter ? { filter } : {}) });
    for (const { timestamp, severity } of page) {
      const timeMs = Date.parse(timestamp);
      if (timeMs >= untilMs) return answer(null);
      const bucket = counts[Math.min(buckets - 1, Math.floor((timeMs - fromMs) / stepMs))];
      if (bucket) bucket[severity] = (bucket[severity] ?? 0) + 1;
      total++;
    }
    const last = page.at(-1);
    // A store may give fewer than asked for, but never none where there is one.
    if (!last) return answer(null);
    since = last.timestamp;
    if (total >= MAX_ENTRIES || clock.monotonicMs() - startedMs >= MAX_MS) {
      return answer(new Date(Date.parse(since)).toISOString());
    }
  }
}
