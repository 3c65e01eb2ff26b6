import { createError, ROLE_RIGHTS, type Scope, scopesWithinRole } from '@berth/contract';
import { ACCOUNT_HEADER, API_KEY_HEADER } from '@berth/contract/headers';
import type { Database } from '@berth/database';
import { type AccountId, type Clock, type Logger, runInBackground } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { Principal } from '../principal/principal.ts';
import { hashSecret } from '../secrets/secrets.ts';
import type { BrowserCookie } from './browser-cookie.ts';
import { parseBearer } from './session-token.ts';

/**
 * Returns the caller of a request. `X-API-Key` takes precedence over `Authorization: Bearer`, which takes a session token or
 * a key, and that over the platform's cookie. `X-Account` chooses among a person's accounts.
 * Source: docs/contract/control-plane.md §1.
 * @throws `unauthenticated` without a credential, and for one that is unknown, revoked or expired.
 * @throws `forbidden` for the session of a person who belongs to no account, or not to the one in `X-Account`.
 */
export type Authenticate = (headers: Headers) => Promise<Principal>;

/** How far `last_used_at` may lag: each credential causes one write a minute, however many requests it makes. */
const USE_RESOLUTION_MS = 60_000;

/** Options of {@link createAuthenticator}. */
export interface CreateAuthenticatorOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly cookie: Pick<BrowserCookie, 'read'>;
}

/**
 * Secrets are looked up by their hash, so the time of an answer reveals nothing about a secret. Only its holder learns
 * that it expired or was revoked.
 */
export function createAuthenticator({ db, clock, logger, cookie }: CreateAuthenticatorOptions): Authenticate {
  // Without this set, requests that arrive during the write would each start another one.
  const writing = new Set<string>();
  /** Records the use of a credential in the background. `lastUsedAtMs` is that of its row. */
  const noteUse = (table: 'api_keys' | 'auth_sessions', id: string, lastUsedAtMs: number | null): void => {
    const nowMs = clock.nowMs();
    if (writing.has(id) || (lastUsedAtMs !== null && nowMs - lastUsedAtMs < USE_RESOLUTION_MS)) return;
    writing.add(id);
    const update = db.updateTable(table).set({ last_used_at: nowMs }).where('id', '=', id).execute();
    const write = update.finally(() => writing.delete(id));
    runInBackground('use of a credential', write, logger);
  };

  const findByKey = async (secret: string, wanted: string | null): Promise<Principal | undefined> => {
    const row = await db
      .selectFrom('api_keys as key')
      .innerJoin('accounts as account', 'account.id', 'key.account_id')
      .leftJoin('account_members as member', (join) =>
        join.onRef('member.account_id', '=', 'key.account_id').onRef('member.user_id', '=', 'key.user_id'),
      )
      .select([
        'key.id',
        'key.account_id',
        'key.user_id',
        'key.scopes',
        'key.expires_at',
        'key.revoked_at',
        'key.last_used_at',
        'account.name',
        'account.is_operator',
        'member.role',
      ])
      .where('key.hash', '=', hashSecret(secret))
      .executeTakeFirst();
    if (!row) return undefined;
    if (row.revoked_at !== null) throw unauthenticated(`This API key was revoked at ${rfc3339(row.revoked_at)}.`);
    if (row.expires_at !== null && row.expires_at <= clock.nowMs()) {
      throw unauthenticated(`This API key expired at ${rfc3339(row.expires_at)}.`);
    }
    if (wanted !== null && wanted !== row.account_id && wanted !== row.name) {
      throw createError('forbidden', 'This API key belongs to another account than the one in X-Account.');
    }
    // Removing a member revokes their keys. This check covers a key that was created at the same moment.
    if (row.user_id !== null && row.role === null) {
      throw unauthenticated('The person who created this API key is no longer a member of the account.');
    }
    noteUse('api_keys', row.id, row.last_used_at);
    const scopes = JSON.parse(row.scopes) as Scope[];
    return {
      kind: 'key',
      accountId: row.account_id as AccountId,
      ...(row.user_id === null ? {} : { userId: row.user_id }),
      keyId: row.id,
      ...(row.role === null ? { scopes } : { role: row.role, scopes: scopesWithinRole(scopes, row.role) }),
      isOperator: row.is_operator === 1,
    };
  };

  const findBySession = async (token: string, wanted: string | null): Promise<Principal | undefined> => {
    const rows = await db
      .selectFrom('auth_sessions as session')
      .leftJoin('account_members as member', 'member.user_id', 'session.user_id')
      .leftJoin('accounts as account', 'account.id', 'member.account_id')
      .select(['session.id', 'session.user_id', 'session.expires_at', 'session.last_used_at'])
      .select(['member.account_id', 'member.role', 'account.name', 'account.is_operator'])
      .where('session.token', '=', hashSecret(token))
      // Without `X-Account`, a person acts for the account that they joined first.
      .orderBy('member.created_at')
      .orderBy('member.account_id')
      .execute();
    const [first] = rows;
    if (!first) return undefined;
    const { id, expires_at, last_used_at } = first;
    if (expires_at <= clock.nowMs()) throw unauthenticated(`This session expired at ${rfc3339(expires_at)}.`);
    const row = wanted === null ? first : rows.find((each) => each.account_id === wanted || each.name === wanted);
    if (!row) throw createError('forbidden', 'You are not a member of the account in X-Account.');
    if (row.account_id === null || row.role === null) {
      throw createError('forbidden', 'You are signed in, but not a member of any account.');
    }
    noteUse('auth_sessions', id, last_used_at);
    return {
      kind: 'session',
      accountId: row.account_id as AccountId,
      userId: row.user_id,
      sessionId: id,
      role: row.role,
      scopes: ROLE_RIGHTS[row.role].scopes,
      isOperator: row.is_operator === 1,
    };
  };

  return async (headers) => {
    const account = headers.get(ACCOUNT_HEADER);
    const key = headers.get(API_KEY_HEADER);
    if (key !== null) {
      const principal = await findByKey(key, account);
      if (!principal) throw unauthenticated('Unknown API key.');
      return principal;
    }
    const authorization = headers.get('authorization');
    if (authorization === null) {
      const token = cookie.read(headers);
      if (token === undefined) {
        throw unauthenticated('Send an API key in X-API-Key, or a session token or key in Authorization: Bearer.');
      }
      const principal = await findBySession(token, account);
      if (!principal) throw unauthenticated('Your session has expired. Sign in again.');
      return principal;
    }
    const secret = parseBearer(authorization);
    if (secret === undefined) throw unauthenticated('Authorization must be "Bearer" followed by one token.');
    const principal = (await findBySession(secret, account)) ?? (await findByKey(secret, account));
    if (!principal) throw unauthenticated('Unknown token. Sign in again, or use another key.');
    return principal;
  };
}

function unauthenticated(message: string): Error {
  return createError('unauthenticated', message);
}

function rfc3339(ms: number): string {
  return new Date(ms).toISOString();
}
