import type { FirstRunState } from '@berth/contract';
import type { UseQueryResult } from '@tanstack/react-query';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useRead } from '../../api/use-read.ts';

/** Queries whether the platform lacks its first person, and whether a first-run link with this secret can be used. */
export function useFirstRun(token?: string): UseQueryResult<FirstRunState> {
  return useRead(QUERY_KEYS.firstRun(token), (client, signal) =>
    client.post('/v1/auth/first-run/check', { body: token === undefined ? {} : { token }, signal }),
  );
}
