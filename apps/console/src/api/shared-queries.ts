import type { Client } from '@berth/client';
import { queryOptions } from '@tanstack/react-query';
import { QUERY_KEYS } from './query-keys.ts';

// Lists that several features show. One query function for each key: whichever view asks first fills the cache for all.

/** The account's deployments. */
export function deploymentsQuery(client: Client) {
  return queryOptions({
    queryKey: QUERY_KEYS.deployments,
    queryFn: ({ signal }) => client.get('/v1/deployment/list', { signal }),
  });
}

/** The account's volumes, without those that were deleted. */
export function volumesQuery(client: Client) {
  return queryOptions({
    queryKey: QUERY_KEYS.volumes,
    queryFn: ({ signal }) => client.get('/v1/volume/list', { signal }),
  });
}

/** The account's members. */
export function membersQuery(client: Client) {
  return queryOptions({
    queryKey: QUERY_KEYS.members,
    queryFn: ({ signal }) => client.get('/v1/user/members', { signal }),
  });
}

/** The account's API keys. */
export function keysQuery(client: Client) {
  return queryOptions({ queryKey: QUERY_KEYS.keys, queryFn: ({ signal }) => client.get('/v1/user/keys', { signal }) });
}

/** The sign-in providers that are linked to the person. */
export function identitiesQuery(client: Client) {
  return queryOptions({
    queryKey: QUERY_KEYS.identities,
    queryFn: ({ signal }) => client.get('/v1/user/identities', { signal }),
  });
}
