import type { Database } from '@berth/database';
import type { Clock, IdSource } from '@berth/kit';
import type { Kysely } from 'kysely';
import { PASSWORD_PROVIDER } from './ways-to-sign-in.ts';

/** The source of times and ids. */
interface RowSource {
  readonly clock: Clock;
  readonly ids: IdSource;
}

/** A person and the password they sign in with. */
export interface NewUser extends RowSource {
  readonly id: string;
  readonly email: string;
  readonly name?: string | undefined;
  /** See {@link hashPassword}. */
  readonly passwordHash: string;
}

/** A way to sign in: a password, or an identity at an outside provider. */
export interface NewCredential extends RowSource {
  readonly userId: string;
  /** `credential` for a password, else the provider's issuer. */
  readonly providerId: string;
  /** The person's `sub` at that provider; for a password, the person's own id. */
  readonly subject: string;
  readonly passwordHash?: string;
}

/** Writes a person who signs in with a password, as part of a transaction. */
export async function insertUser(user: NewUser, transaction: Kysely<Database>): Promise<void> {
  const { id, passwordHash, clock, ids } = user;
  await insertPerson({ ...user, isEmailVerified: false }, transaction);
  const password = { userId: id, subject: id, providerId: PASSWORD_PROVIDER, passwordHash };
  await insertCredential({ ...password, clock, ids }, transaction);
}

/** Writes a person who has no way to sign in yet. */
export async function insertPerson(
  person: Omit<NewUser, 'passwordHash' | 'ids'> & { readonly isEmailVerified: boolean },
  transaction: Kysely<Database>,
): Promise<void> {
  const nowMs = person.clock.nowMs();
  const email = person.email.toLowerCase();
  await transaction
    .insertInto('auth_users')
    .values({
      id: person.id,
      name: person.name ?? email,
      email,
      image: null,
      email_verified: person.isEmailVerified ? 1 : 0,
      created_at: nowMs,
      updated_at: nowMs,
    })
    .execute();
}

export async function insertCredential(credential: NewCredential, transaction: Kysely<Database>): Promise<void> {
  const nowMs = credential.clock.nowMs();
  await transaction
    .insertInto('auth_accounts')
    .values({
      id: credential.ids.next('cre'),
      user_id: credential.userId,
      account_id: credential.subject,
      provider_id: credential.providerId,
      access_token: null,
      refresh_token: null,
      id_token: null,
      scope: null,
      access_token_expires_at: null,
      refresh_token_expires_at: null,
      password: credential.passwordHash ?? null,
      created_at: nowMs,
      updated_at: nowMs,
    })
    .execute();
}
