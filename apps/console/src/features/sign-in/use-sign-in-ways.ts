import type { SignInWay } from '@berth/contract';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useConsole } from '../../api/console-context.ts';

/** The ways to sign in that the platform offers. */
export function useSignInWays(): UseQueryResult<SignInWay[]> {
  const { client } = useConsole();
  return useQuery({
    queryKey: ['sign-in-ways'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => client.listSignInWays({ signal }),
  });
}
