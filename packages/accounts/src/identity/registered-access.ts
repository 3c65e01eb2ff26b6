import { hasScope, scopesWithinRole } from '@berth/contract';
import type { Database } from '@berth/database';
import type { Kysely } from 'kysely';
import type { Principal } from '../principal/principal.ts';
import type { createIdentitySessions } from './identity-sessions.ts';
import type { createIdentityTokens } from './identity-tokens.ts';
import { REGISTERED_SCOPES } from './registered-client.ts';

/** Options of {@link createRegisteredAccess}. */
export interface RegisteredAccessOptions {
  readonly db: Kysely<Database>;
  readonly sessions: Pick<ReturnType<typeof createIdentitySessions>, 'findByHash'>;
  readonly tokens: Pick<ReturnType<typeof createIdentityTokens>, 'readAccess'>;
  /** The only audience that is accepted: the address of the MCP server. */
  readonly resource: string;
}

/**
 * Creates the lookup of callers by the access tokens of registered clients. It returns undefined for tokens of another audience, and for
 * those whose sign-in or membership has ended since: a token takes no effect after that, although it hasn't expired.
 */
export function createRegisteredAccess({ db, sessions, tokens, resource }: RegisteredAccessOptions) {
  return async (token: string): Promise<Principal | undefined> => {
    const payload = await tokens.readAccess(token);
    if (payload?.aud !== resource || typeof payload['sid'] !== 'string') return undefined;
    const session = await sessions.findByHash(payload['sid']);
    if (!session) return undefined;
    const { accountId, userId, keyId, keyScopes } = session;
    const role = userId === undefined ? undefined : await findRole(db, accountId, userId);
    if (userId !== undefined && role === undefined) return undefined;
    const consented = String(payload['scope']).split(' ');
    // A sign-in with a key gives no more than the key.
    const granted = REGISTERED_SCOPES.filter(
      (scope) => consented.includes(scope) && (keyScopes === undefined || hasScope(keyScopes, scope)),
    );
    return {
      kind: keyId === undefined ? 'session' : 'key',
      accountId,
      ...(userId !== undefined && { userId }),
      ...(keyId !== undefined && { keyId }),
      ...(role === undefined ? { scopes: granted } : { role, scopes: scopesWithinRole(granted, role) }),
      // No tool needs the rights of the operator.
      isOperator: false,
    };
  };
}

async function findRole(db: Kysely<Database>, accountId: string, userId: string) {
  const row = await db
    .selectFrom('account_members')
    .select('role')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.role;
}
