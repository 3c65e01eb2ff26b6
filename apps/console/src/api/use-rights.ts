import type { Role, Scope, User } from '@berth/contract';
import { hasScope, ROLE_RIGHTS, ROLES } from '@berth/contract/rights';
import { BerthError } from '@berth/kit';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useConsole } from './console-context.ts';
import { QUERY_KEYS } from './query-keys.ts';

/** Returns the person who is signed in and the account they work in. */
export function useUser(): UseQueryResult<User> {
  const { client, accountChoice } = useConsole();
  const queries = useQueryClient();
  return useQuery({
    queryKey: QUERY_KEYS.user,
    staleTime: 30_000,
    async queryFn({ signal }) {
      try {
        return await client.get('/v1/user', { signal });
      } catch (error) {
        // A person who was removed from the account they chose continues in their first one.
        if (!BerthError.is(error, 'forbidden') || accountChoice.id === undefined) throw error;
        accountChoice.forget();
        const user = await client.get('/v1/user', { signal });
        void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'user' });
        return user;
      }
    },
  });
}

/** The person's permissions in the account. The server enforces them; the console only hides what they can't use. */
export interface Rights {
  /** Whether the person has `scope`. True until the rights are loaded, since most people may do most things. */
  can(scope: Scope): boolean;
  /** Whether the person may invite people to `role`, grant it and revoke it. */
  manages(role: Role): boolean;
}

export function useRights(): Rights {
  const { data } = useUser();
  const managed = data?.role ? ROLE_RIGHTS[data.role].manages : ROLES;
  return {
    can: (scope) => data === undefined || hasScope(data.scopes, scope),
    manages: (role) => (data === undefined || hasScope(data.scopes, 'admin')) && managed.includes(role),
  };
}
