import type { Database } from '@berth/database';
import type { Kysely } from 'kysely';

/** How many ways a person has to sign in: a password, outside providers, passkeys. The last one must stay. */
export async function countWaysToSignIn(userId: string, from: Kysely<Database>): Promise<number> {
  const credentials = await from
    .selectFrom('auth_accounts')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  const passkeys = await from
    .selectFrom('passkeys')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return Number(credentials.count) + Number(passkeys.count);
}
