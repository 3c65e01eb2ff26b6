import type { Database } from '@berth/database';
import type { Clock, IdSource } from '@berth/kit';
import type { Kysely } from 'kysely';

/** A person and the password they sign in with. */
export interface NewUser {
  readonly id: string;
  readonly email: string;
  readonly name?: string | undefined;
  /** As better-auth's `hashPassword` makes it. */
  readonly passwordHash: string;
  readonly clock: Clock;
  readonly ids: IdSource;
}

/** Writes the rows that better-auth would write at sign-up, so that they can be part of a larger transaction. */
export async function insertUser(user: NewUser, transaction: Kysely<Database>): Promise<void> {
  const nowMs = user.clock.nowMs();
  const times = { created_at: nowMs, updated_at: nowMs };
  // better-auth looks addresses up in lower case.
  const email = user.email.toLowerCase();
  await transaction
    .insertInto('auth_users')
    .values({ id: user.id, name: user.name ?? email, email, email_verified: 0, image: null, ...times })
    .execute();
  await transaction
    .insertInto('auth_accounts')
    .values({
      id: user.ids.next('cre'),
      user_id: user.id,
      account_id: user.id,
      provider_id: 'credential',
      access_token: null,
      refresh_token: null,
      id_token: null,
      access_token_expires_at: null,
      refresh_token_expires_at: null,
      scope: null,
      password: user.passwordHash,
      ...times,
    })
    .execute();
}
