import type { Scope } from '@berth/contract';
import type { Database } from '@berth/database';
import { type AccountId, type Clock, type Logger, runInBackground } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { Principal } from '../principal/principal.ts';
import { createSecret, hashSecret } from '../secrets/secrets.ts';
import type { Person } from './person.ts';

/** A person's session with the identity provider, in one browser. */
export interface IdentitySession extends Person {
  readonly hash: string;
  /** The key that the person signed in with, and its scopes; absent for another sign-in. */
  readonly keyId?: string;
  readonly keyScopes?: readonly Scope[];
  /** Epoch milliseconds, wall clock: when they signed in. */
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

/** The credential that a session began with. */
export type SignInCredential =
  | { readonly kind: 'key' }
  | { readonly kind: 'password' /** The sign-in's session. */; readonly sessionToken: string };

/** The life of a session. Source: docs/contract/control-plane.md §8. */
export const IDENTITY_SESSION_SECONDS = 24 * 60 * 60;

export interface IdentitySessionsOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function createIdentitySessions({ db, clock, logger }: IdentitySessionsOptions) {
  const forgetExpired = async () => {
    // Deleting a session deletes its codes and refresh tokens.
    await db.deleteFrom('identity_sessions').where('expires_at', '<=', clock.nowMs()).execute();
  };

  const findByHash = async (hash: string): Promise<IdentitySession | undefined> => {
    const nowMs = clock.nowMs();
    const row = await db
      .selectFrom('identity_sessions as session')
      .leftJoin('api_keys as key', 'key.id', 'session.key_id')
      .leftJoin('auth_sessions as sign_in', 'sign_in.token', 'session.auth_session')
      .select(['session.hash', 'session.account_id', 'session.user_id', 'session.created_at', 'session.expires_at'])
      .select(['key.id as key_id', 'key.scopes'])
      .where('session.hash', '=', hash)
      .where('session.expires_at', '>', nowMs)
      .where((eb) =>
        eb.or([
          eb.and([
            eb('key.id', 'is not', null),
            eb('key.revoked_at', 'is', null),
            eb.or([eb('key.expires_at', 'is', null), eb('key.expires_at', '>', nowMs)]),
          ]),
          eb('sign_in.expires_at', '>', nowMs),
        ]),
      )
      .executeTakeFirst();
    return (
      row && {
        hash: row.hash,
        accountId: row.account_id as AccountId,
        userId: row.user_id ?? undefined,
        createdAtMs: row.created_at,
        expiresAtMs: row.expires_at,
        ...(row.key_id !== null && { keyId: row.key_id, keyScopes: JSON.parse(row.scopes ?? '[]') as Scope[] }),
      }
    );
  };

  return {
    /** Returns the secret for the browser's cookie. */
    async create({ accountId, userId, keyId }: Principal, credential: SignInCredential): Promise<string> {
      const secret = createSecret();
      const nowMs = clock.nowMs();
      await db
        .insertInto('identity_sessions')
        .values({
          hash: hashSecret(secret),
          account_id: accountId,
          user_id: userId ?? null,
          key_id: credential.kind === 'key' ? (keyId ?? null) : null,
          auth_session: credential.kind === 'password' ? hashSecret(credential.sessionToken) : null,
          created_at: nowMs,
          expires_at: nowMs + IDENTITY_SESSION_SECONDS * 1_000,
        })
        .execute();
      runInBackground('forget expired sessions of the identity provider', forgetExpired(), logger);
      return secret;
    },
    /** Returns the session of a cookie's secret; undefined for an unknown or ended one. */
    find: async (secret: string | undefined): Promise<IdentitySession | undefined> =>
      secret === undefined ? undefined : findByHash(hashSecret(secret)),
    findByHash,
    /** Ends a session and the refresh tokens issued from it. */
    async end({ hash }: IdentitySession): Promise<void> {
      await db.transaction().execute(async (transaction) => {
        const row = await transaction
          .deleteFrom('identity_sessions')
          .where('hash', '=', hash)
          .returning('auth_session')
          .executeTakeFirst();
        if (typeof row?.auth_session !== 'string') return;
        await transaction.deleteFrom('auth_sessions').where('token', '=', row.auth_session).execute();
      });
    },
  };
}
