import { BerthError } from '@berth/kit';
import { QueryClient } from '@tanstack/react-query';
import type { SessionStore } from '../api/create-session.ts';

/** Creates the query cache. It is cleared on sign-out, so the next person sees nothing of the previous one. */
export function createQueries(session: Pick<SessionStore, 'state' | 'subscribe'>): QueryClient {
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        // Browsers only guess whether they are online, and a platform on the same machine needs no network.
        networkMode: 'always',
        staleTime: 5_000,
        // The client itself retries three times.
        retry: false,
        refetchInterval: ({ state }) => (BerthError.is(state.error, 'unavailable') ? 5_000 : false),
      },
      mutations: { networkMode: 'always' },
    },
  });
  let before = session.state;
  session.subscribe(() => {
    if (session.state === 'signed-out') queries.clear();
    if (session.state === 'signed-in' && before === 'expired') void queries.invalidateQueries();
    before = session.state;
  });
  return queries;
}
