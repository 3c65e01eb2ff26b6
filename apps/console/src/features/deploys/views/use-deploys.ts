import type { DeploySummary } from '@berth/contract';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useConsole } from '../../../api/console-context.ts';
import { QUERY_KEYS } from '../../../api/query-keys.ts';

/** The deploys under way of the account. */
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

/** All deploys of a deployment that are kept, newest first: 20, and those under way. */
export function useDeploysOf(name: string): UseQueryResult<readonly DeploySummary[]> {
  const { client } = useConsole();
  return useQuery({
    queryKey: QUERY_KEYS.deploysOf(name),
    queryFn: async ({ signal }) =>
      (await client.get('/v1/deploys', { params: { query: { name, limit: 100 } }, signal })).deploys,
    refetchInterval: 4_000,
  });
}
