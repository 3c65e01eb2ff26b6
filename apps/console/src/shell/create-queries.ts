import { BerthError } from '@berth/kit';
import { QueryClient } from '@tanstack/react-query';
import type { SessionStore } from '../api/create-session.ts';

/** The cache of what the platform answered. Whoever signs in sees nothing of who was there before. */
export function createQueries(session: Pick<SessionStore, 'state' | 'subscribe'>): QueryClient {
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        // Browsers guess whether they are online, and a platform on the same machine needs no network.
        networkMode: 'always',
        staleTime: 5_000,
        // The client has tried three times itself.
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
