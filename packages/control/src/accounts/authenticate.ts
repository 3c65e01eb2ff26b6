import { createError, SCOPES, type Scope } from '@berth/contract';
import type { Database } from '@berth/database';
import type { AccountId, Clock, Logger } from '@berth/kit';
import type { Kysely } from 'kysely';
import { hashSecret } from './key-secret.ts';
import { createKeyUsage } from './key-usage.ts';
import type { Principal } from './principal.ts';

/**
 * Finds out who a request comes from. `X-API-Key` wins over `Authorization: Bearer`, which takes a session token or a key.
 * Source: spec control-plane 1.
 * @throws `unauthenticated` without a credential, and for one that is unknown, revoked or expired.
 * @throws `forbidden` for the session of a person who belongs to no account.
 */
export type Authenticate = (headers: Headers) => Promise<Principal>;

/** What is needed to check credentials. */
export interface CreateAuthenticatorOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Secrets are looked up by their hash, so how long an answer takes says nothing about a secret; only who holds one learns
 * that it expired or was revoked.
 */
export function createAuthenticator({ db, clock, logger }: CreateAuthenticatorOptions): Authenticate {
  const usage = createKeyUsage({ db, clock, logger });

  const findByKey = async (secret: string): Promise<Principal | undefined> => {
    const row = await db
      .selectFrom('api_keys as key')
      .innerJoin('accounts as account', 'account.id', 'key.account_id')
      .select([
        'key.id',
        'key.account_id',
        'key.user_id',
        'key.scopes',
        'key.expires_at',
        'key.revoked_at',
        'key.last_used_at',
        'account.is_operator',
      ])
      .where('key.hash', '=', hashSecret(secret))
      .executeTakeFirst();
    if (!row) return undefined;
    if (row.revoked_at !== null) throw unauthenticated(`This API key was revoked at ${rfc3339(row.revoked_at)}.`);
    if (row.expires_at !== null && row.expires_at <= clock.nowMs()) {
      throw unauthenticated(`This API key expired at ${rfc3339(row.expires_at)}.`);
    }
    usage.note(row.id, row.last_used_at);
    return {
      kind: 'key',
      accountId: row.account_id as AccountId,
      ...(row.user_id === null ? {} : { userId: row.user_id }),
      keyId: row.id,
      scopes: JSON.parse(row.scopes) as Scope[],
      isOperator: row.is_operator === 1,
    };
  };

  const findBySession = async (token: string): Promise<Principal | undefined> => {
    const row = await db
      .selectFrom('auth_sessions as session')
      .leftJoin('account_members as member', 'member.user_id', 'session.user_id')
      .leftJoin('accounts as account', 'account.id', 'member.account_id')
      .select(['session.user_id', 'session.expires_at', 'member.account_id', 'account.is_operator'])
      .where('session.token', '=', hashSecret(token))
      // A person of several accounts acts for the one joined first.
      .orderBy('member.created_at')
      .orderBy('member.account_id')
      .executeTakeFirst();
    if (!row) return undefined;
    if (row.expires_at <= clock.nowMs()) throw unauthenticated(`This session expired at ${rfc3339(row.expires_at)}.`);
    if (row.account_id === null) throw createError('forbidden', 'You are signed in, but belong to no account.');
    return {
      kind: 'session',
      accountId: row.account_id as AccountId,
      userId: row.user_id,
      scopes: SCOPES,
      isOperator: row.is_operator === 1,
    };
  };

  return async (headers) => {
    const key = headers.get('x-api-key');
    if (key !== null) {
      const principal = await findByKey(key);
      if (!principal) throw unauthenticated('This API key is not known.');
      return principal;
    }
    const authorization = headers.get('authorization');
    if (authorization === null) {
      throw unauthenticated('Send an API key in X-API-Key, or a session token or key in Authorization: Bearer.');
    }
    const secret = /^bearer +(\S+)$/i.exec(authorization)?.[1];
    if (secret === undefined) throw unauthenticated('Authorization must be "Bearer" and one token.');
    const principal = (await findBySession(secret)) ?? (await findByKey(secret));
    if (!principal) throw unauthenticated('This token is not known: sign in again, or send another key.');
    return principal;
  };
}

function unauthenticated(message: string): Error {
  return createError('unauthenticated', message);
}

function rfc3339(ms: number): string {
  return new Date(ms).toISOString();
}
