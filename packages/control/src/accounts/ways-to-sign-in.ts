import type { Database } from '@berth/database';
import type { Kysely } from 'kysely';
import { issuerKey, type OidcProvider } from './oidc/parse-oidc-providers.ts';

/** What better-auth calls a password. */
export const PASSWORD_PROVIDER = 'credential';

/**
 * How many ways a person has to sign in: a password, passkeys, and those of the outside `providers` that are still offered.
 * The last one must stay.
 */
export async function countWaysToSignIn(
  userId: string,
  from: Kysely<Database>,
  providers: readonly Pick<OidcProvider, 'issuer'>[] = [],
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
