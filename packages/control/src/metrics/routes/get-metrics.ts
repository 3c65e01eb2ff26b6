import { defineOperation } from '@berth/accounts';
import {
  createError,
  createValidationError,
  METRICS_RANGE_MAX_MS,
  METRICS_WINDOWS,
  metricsRequestSchema,
  metricsSchema,
} from '@berth/contract';
import { jsonResponse } from '@berth/http';
import type { Clock } from '@berth/kit';
import type { SqlRunner } from '@berth/logstore';
import type { DeploymentStore } from '../../deployments/store/deployment-store.ts';
import { mergePoints, type ServedStep } from '../merge-points.ts';
import type { ResourceMetrics } from '../resource-metrics.ts';
import { MINUTE_MS } from '../resource-recorder.ts';

/** Dependencies of {@link registerGetMetrics}. */
export interface MetricsRouteDeps {
  readonly sql: Pick<SqlRunner, 'run'>;
  readonly deployments: Pick<DeploymentStore, 'get'>;
  readonly resources: Pick<ResourceMetrics, 'list'>;
  readonly clock: Clock;
}

/** The most points that a chart has room for. */
const MAX_POINTS = 360;

/**
 * `GET /v1/deployment/metrics` [+]. Requests come from the request log, so that both agree; usage comes from the samples of
 * CPU and memory.
 */
export const registerGetMetrics = defineOperation(
  'GET /v1/deployment/metrics',
  {
    scope: 'read',
    errors: ['not_found'],
    operationId: 'getMetrics',
    tags: ['Logs'],
    summary: 'Get requests, errors, latency, CPU and memory of a deployment over time',
    request: { query: metricsRequestSchema },
    responses: { 200: jsonResponse(metricsSchema, 'A point for each step with data, oldest first') },
  },
  async (c, { sql, deployments, resources, clock }: MetricsRouteDeps) => {
    const { name, window, from, to } = c.req.valid('query');
    const { accountId } = c.get('principal');
    await deployments.get(accountId, name);
    // The name is put into SQL text below. Stored names are DNS labels; this check makes sure of it here.
    if (!/^[a-z0-9-]+$/.test(name)) throw createError('not_found', 'No such deployment.');
    const toMs = to === undefined ? clock.nowMs() : Date.parse(to);
    const fromMs = from === undefined ? toMs - METRICS_WINDOWS[window] : Date.parse(from);
    if (fromMs >= toMs || toMs - fromMs > METRICS_RANGE_MAX_MS) {
      const msg = fromMs >= toMs ? 'must be before `to`' : 'must be within 366 days before `to`';
      throw createValidationError([{ loc: ['query', 'from'], msg, type: 'range_invalid' }]);
    }
    const stepMs = Math.ceil((toMs - fromMs) / MAX_POINTS / MINUTE_MS) * MINUTE_MS;
    const json = await sql.run(accountId, servedQuery(name, fromMs, toMs, stepMs / 1_000), c.req.raw.signal);
    const used = await resources.list(accountId, name, fromMs, stepMs, toMs);
    return c.json({ step_seconds: stepMs / 1_000, points: mergePoints(JSON.parse(json) as ServedStep[], used) }, 200);
  },
);

/** Steps are counted from 1970, as those of what was used. */
function servedQuery(name: string, fromMs: number, toMs: number, stepSeconds: number): string {
  const quantile = (ratio: number) => `round(1000 * approx_quantile(http_request.latency, ${ratio}), 3)`;
  const time = (atMs: number) => `TIMESTAMPTZ '${new Date(atMs).toISOString().replace('T', ' ').replace('Z', '+00')}'`;
  // Each is told from when the headers were in; of interest is how long each took.
  const since = (part: string) => `CAST(http_request.cold_start.${part}Ms AS DOUBLE)`;
  const mean = (part: string, before?: string) =>
    `round(avg(${since(part)}${before === undefined ? '' : ` - ${since(before)}`}), 3)`;
  return `SELECT
  epoch_ms(time_bucket(INTERVAL ${stepSeconds} SECOND, timestamp, TIMESTAMPTZ '1970-01-01 00:00:00+00')) AS start_ms,
  count(*) AS requests,
  count(*) FILTER (http_request.status >= 500) AS errors,
  ${quantile(0.5)} AS p50_ms, ${quantile(0.95)} AS p95_ms, ${quantile(0.99)} AS p99_ms,
  count(DISTINCT resource.labels.instance_id) AS instances,
  count(http_request.cold_start) AS cold_starts,
  CASE WHEN count(http_request.cold_start) > 0 THEN {
    'queued': ${mean('queued')}, 'scheduled': ${mean('scheduled', 'queued')}, 'spawned': ${mean('spawned', 'scheduled')},
    'port_open': ${mean('portOpen', 'spawned')}, 'first_byte': ${mean('firstByte', 'portOpen')}
  } END AS cold_start_ms
FROM logs
WHERE log_name = 'requests' AND resource.labels.service_name = '${name}'
  AND timestamp >= ${time(fromMs)} AND timestamp < ${time(toMs)}
GROUP BY 1 ORDER BY 1`;
}
