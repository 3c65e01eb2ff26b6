import type { DeploySummary } from '@berth/contract';
import type { QueryKey, UseQueryResult } from '@tanstack/react-query';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useRead } from '../../../api/use-read.ts';

/** Returns the account's active deploys. */
export function useActiveDeploys(): readonly DeploySummary[] {
  return useDeploys(QUERY_KEYS.activeDeploys, { state: 'active', limit: 50 }).data ?? [];
}

/** Queries the deploys of a deployment, newest first: the last 20 and all active ones. */
export function useDeploysOf(name: string): UseQueryResult<readonly DeploySummary[]> {
  return useDeploys(QUERY_KEYS.deploysOf(name), { name, limit: 100 });
}

function useDeploys(
  key: QueryKey,
  query: { readonly state?: 'active'; readonly name?: string; readonly limit: number },
): UseQueryResult<readonly DeploySummary[]> {
  return useRead<readonly DeploySummary[]>(
    key,
    async (client, signal) => (await client.get('/v1/deploys', { params: { query }, signal })).deploys,
    { refetchInterval: 4_000 },
  );
}
