import type { Role } from '@berth/contract';
import type { Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { ServiceDeps } from '../audit/audit-log.ts';
import { PASSWORD_PROVIDER } from './ways-to-sign-in.ts';

type RowSource = Pick<ServiceDeps, 'clock' | 'ids'>;

/** A person. Without a name, the address stands for it. */
export interface NewPerson {
  readonly id: string;
  readonly email: string;
  readonly name?: string | undefined;
}

/** A way to sign in: a password, or an identity at an outside provider. */
export interface NewCredential extends RowSource {
  readonly userId: string;
  /** `credential` for a password, else the provider's issuer. */
  readonly providerId: string;
  /** The person's `sub` at that provider; for a password, the person's own id. */
  readonly subject: string;
  /** See {@link hashPassword}. */
  readonly passwordHash?: string;
}

/** Writes a person who signs in with a password, as part of a transaction. */
export async function insertUser(
  { passwordHash, clock, ids, ...person }: NewPerson & RowSource & { readonly passwordHash: string },
  transaction: Kysely<Database>,
): Promise<void> {
  await insertPerson({ ...person, isEmailVerified: false, clock }, transaction);
  const { id } = person;
  await insertCredential(
    { userId: id, subject: id, providerId: PASSWORD_PROVIDER, passwordHash, clock, ids },
    transaction,
  );
}

/** Writes a person who has no way to sign in yet. */
export async function insertPerson(
  person: NewPerson & Pick<RowSource, 'clock'> & { readonly isEmailVerified: boolean },
  transaction: Kysely<Database>,
): Promise<void> {
  const nowMs = person.clock.nowMs();
  const email = person.email.toLowerCase();
  const row = { id: person.id, name: person.name ?? email, email, created_at: nowMs, updated_at: nowMs };
  const email_verified = person.isEmailVerified ? 1 : 0;
  await transaction
    .insertInto('auth_users')
    .values({ ...row, email_verified })
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
      password: credential.passwordHash ?? null,
      created_at: nowMs,
      updated_at: nowMs,
    })
    .execute();
}

/** Makes a person a member of an account. */
export async function insertMember(
  { accountId, userId, role }: { readonly accountId: AccountId; readonly userId: string; readonly role: Role },
  clock: RowSource['clock'],
  transaction: Kysely<Database>,
): Promise<void> {
  const row = { account_id: accountId, user_id: userId, role, created_at: clock.nowMs() };
  await transaction.insertInto('account_members').values(row).execute();
}
