import type { Client } from '@berth/client';
import { type QueryKey, type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useConsole } from './console-context.ts';

/** Options of a query besides what it reads and its key. */
export type ReadOptions<Data> = Omit<UseQueryOptions<Data>, 'queryKey' | 'queryFn'>;

/** Queries what `read` answers. Views that read under the same key share one answer. */
export function useRead<Data>(
  queryKey: QueryKey,
  read: (client: Client, signal: AbortSignal) => Promise<Data>,
  options: ReadOptions<Data> = {},
): UseQueryResult<Data> {
  const { client } = useConsole();
  return useQuery<Data>({ ...options, queryKey, queryFn: ({ signal }) => read(client, signal) });
}
