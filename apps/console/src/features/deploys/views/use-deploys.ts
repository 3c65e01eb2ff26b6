import type { DeploySummary } from '@berth/contract';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useConsole } from '../../../api/console-context.ts';
import { QUERY_KEYS } from '../../../api/query-keys.ts';

/** Returns the account's active deploys. */
export function useActiveDeploys(): readonly DeploySummary[] {
  const { client } = useConsole();
  const { data } = useQuery({
    queryKey: QUERY_KEYS.activeDeploys,
    queryFn: async ({ signal }) =>
      (await client.get('/v1/deploys', { params: { query: { state: 'active', limit: 50 } }, signal })).deploys,
    refetchInterval: 4_000,
  });
  return data ?? [];
}

/** Queries the deploys of a deployment, newest first: the last 20 and all active ones. */
export function useDeploysOf(name: string): UseQueryResult<readonly DeploySummary[]> {
  const { client } = useConsole();
  return useQuery({
    queryKey: QUERY_KEYS.deploysOf(name),
    queryFn: async ({ signal }) =>
      (await client.get('/v1/deploys', { params: { query: { name, limit: 100 } }, signal })).deploys,
    refetchInterval: 4_000,
  });
}
