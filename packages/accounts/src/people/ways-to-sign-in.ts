import type { Database } from '@berth/database';
import type { Kysely } from 'kysely';

/** The provider of a credential that is a password. */
export const PASSWORD_PROVIDER = 'credential';

/** What identities are kept under: `iss` without the slash at its end, about which providers aren't sure. */
export function issuerKey(issuer: string): string {
  return issuer.replace(/\/$/, '');
}

/**
 * How many ways a person has to sign in: a password, passkeys, and those of the outside `providers` that are still offered.
 * The last one must stay.
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
