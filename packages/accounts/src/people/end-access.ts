import type { Database } from '@berth/database';
import type { Kysely, Transaction } from 'kysely';

/** The person whose access ends, and when. */
export interface EndedAccess {
  readonly userId: string;
  /** Epoch milliseconds, wall clock. */
  readonly nowMs: number;
}

/** Prefixes of the ids of links in `auth_verifications`; the person's ID follows, so there is one link of a kind per person. */
export const LINK_IDS = {
  /** Made by an owner. */
  passwordReset: 'password-reset ',
  /** Asked for by the person. */
  mailedPasswordReset: 'password-mail ',
  emailChange: 'email-change ',
} as const;

/** Invalidates the links of a person, because a thief of the session may have asked for them. */
export async function endLinks(userId: string, transaction: Kysely<Database>): Promise<void> {
  const ids = Object.values(LINK_IDS).map((prefix) => prefix + userId);
  await transaction.deleteFrom('auth_verifications').where('id', 'in', ids).execute();
}

/** Revokes a person's API keys, sessions at agents and open invitations in one account. */
export async function endAccessToAccount(
  { userId, accountId, nowMs }: EndedAccess & { readonly accountId: string },
  transaction: Transaction<Database>,
): Promise<void> {
  await transaction
    .updateTable('api_keys')
    .set({ revoked_at: nowMs })
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .execute();
  for (const [table, column] of [
    ['identity_sessions', 'user_id'],
    ['account_invites', 'invited_by'],
  ] as const) {
    const rows = transaction.deleteFrom(table).where('account_id', '=', accountId);
    await rows.where(column, '=', userId).execute();
  }
}

/**
 * Removes every way to sign in as a person, and everything created by signing in: sessions, devices, passkeys, passwords,
 * identities at providers, API keys, sessions and consents at agents, invitations, links. Memberships stay.
 */
export async function endAllAccess({ userId, nowMs }: EndedAccess, transaction: Transaction<Database>): Promise<void> {
  const rows = transaction.selectFrom('account_members').select('account_id').where('user_id', '=', userId);
  for (const { account_id: accountId } of await rows.execute()) {
    await endAccessToAccount({ userId, accountId, nowMs }, transaction);
  }
  await endLinks(userId, transaction);
  for (const table of ['auth_accounts', 'auth_sessions', 'sign_in_places', 'passkeys', 'device_grants'] as const) {
    await transaction.deleteFrom(table).where('user_id', '=', userId).execute();
  }
  await transaction.deleteFrom('identity_consents').where('subject', '=', userId).execute();
}
