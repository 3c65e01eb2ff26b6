import type { SignInWay } from '@berth/contract';
import type { UseQueryResult } from '@tanstack/react-query';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useRead } from '../../api/use-read.ts';

/** Queries the ways to sign in that the platform offers. */
export function useSignInWays(): UseQueryResult<SignInWay[]> {
  return useRead(QUERY_KEYS.signInWays, (client, signal) => client.get('/v1/auth/providers', { signal }), {
    staleTime: Number.POSITIVE_INFINITY,
  });
}
