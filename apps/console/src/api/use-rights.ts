import type { Role, Scope, User } from '@berth/contract';
import { hasScope, ROLE_RIGHTS, ROLES } from '@berth/contract/rights';
import { BerthError } from '@berth/kit';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useConsole } from './console-context.ts';
import { QUERY_KEYS } from './query-keys.ts';

/** Who is signed in, and for which account. */
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
        // Whoever was removed from the account that they chose goes on in their first one.
        if (!BerthError.is(error, 'forbidden') || accountChoice.id === undefined) throw error;
        accountChoice.forget();
        const user = await client.get('/v1/user', { signal });
        void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'user' });
        return user;
      }
    },
  });
}

/** What the person may do in the account, as the server holds it; nothing is kept from them here. */
export interface Rights {
  /** True while it isn't known yet: most people may do most things. */
  can(scope: Scope): boolean;
  /** Whether they may invite to, give and take this role. */
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
