import type { Metrics } from '@berth/contract';
import { keepPreviousData, type UseQueryResult } from '@tanstack/react-query';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useRead } from '../../api/use-read.ts';
import { type PlotSpan, toQuery } from './plot-span.ts';

/** Metrics with the span that they were read for. */
export interface SpanMetrics {
  readonly span: PlotSpan;
  readonly metrics: Metrics;
}

/** Queries the metrics of a deployment. While a new span loads, the previous answer stays. */
export function useMetrics(name: string, span: PlotSpan): UseQueryResult<SpanMetrics> {
  const query = toQuery(span);
  return useRead<SpanMetrics>(
    QUERY_KEYS.metrics(name, query),
    async (client, signal) => ({
      span,
      metrics: await client.get('/v1/deployment/metrics', { params: { query: { name, ...query } }, signal }),
    }),
    { refetchInterval: span.to === undefined ? 15_000 : false, placeholderData: keepPreviousData },
  );
}
