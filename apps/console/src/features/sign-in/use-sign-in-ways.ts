import type { SignInWay } from '@berth/contract';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';

/** Returns the ways to sign in that the platform offers. */
export function useSignInWays(): UseQueryResult<SignInWay[]> {
  const { client } = useConsole();
  return useQuery({
    queryKey: QUERY_KEYS.signInWays,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => client.get('/v1/auth/providers', { signal }),
  });
}
