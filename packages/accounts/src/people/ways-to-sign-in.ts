import type { Database } from '@berth/database';
import type { Kysely } from 'kysely';

/** The provider of a credential that is a password. */
export const PASSWORD_PROVIDER = 'credential';

/** Returns the stored form of an issuer: without a trailing slash, which providers are inconsistent about. */
export function issuerKey(issuer: string): string {
  return issuer.replace(/\/$/, '');
}

/**
 * Counts a person's ways to sign in: a password, passkeys, and identities at the configured `providers`.
 * The last one must not be removed.
 */
export async function countWaysToSignIn(
  userId: string,
  from: Kysely<Database>,
  providers: readonly { readonly issuer: string }[] = [],
): Promise<number> {
  const offered = [PASSWORD_PROVIDER, ...providers.map(({ issuer }) => issuerKey(issuer))];
  const credentials = await from
    .selectFrom('auth_accounts')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('provider_id', 'in', offered)
    .executeTakeFirstOrThrow();
  const passkeys = await from
    .selectFrom('passkeys')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return Number(credentials.count) + Number(passkeys.count);
}
