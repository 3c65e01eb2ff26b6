import type { ApiKey, Deployment, Member } from '@berth/contract';
import { QUERY_KEYS } from './query-keys.ts';
import { type ReadOptions, useRead } from './use-read.ts';

// Lists that several features show. One hook for each key: whichever view asks first fills the cache for all.

/** Queries the account's deployments. */
export function useDeployments(options?: ReadOptions<Deployment[]>) {
  return useRead(QUERY_KEYS.deployments, (client, signal) => client.get('/v1/deployment/list', { signal }), options);
}

/** Queries the instances of a deployment that have not ended. */
export function useInstances(name: string) {
  return useRead(
    QUERY_KEYS.instances(name),
    (client, signal) => client.get('/v1/deployment/instances', { params: { query: { name } }, signal }),
    { refetchInterval: 5_000 },
  );
}

/** Queries the account's volumes, without those that were deleted. */
export function useVolumes() {
  return useRead(QUERY_KEYS.volumes, (client, signal) => client.get('/v1/volume/list', { signal }));
}

/** Queries the account's members. */
export function useMembers(options?: ReadOptions<Member[]>) {
  return useRead(QUERY_KEYS.members, (client, signal) => client.get('/v1/user/members', { signal }), options);
}

/** Queries the account's API keys. */
export function useKeys(options?: ReadOptions<ApiKey[]>) {
  return useRead(QUERY_KEYS.keys, (client, signal) => client.get('/v1/user/keys', { signal }), options);
}

/** Queries the sign-in providers that are linked to the person. */
export function useIdentities() {
  return useRead(QUERY_KEYS.identities, (client, signal) => client.get('/v1/user/identities', { signal }));
}
