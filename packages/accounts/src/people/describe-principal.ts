import type { User } from '@berth/contract';
import type { Database } from '@berth/database';
import type { Kysely } from 'kysely';
import type { Principal } from '../principal/principal.ts';
import { toAccount } from './to-account.ts';

/** Returns the answer of `GET /v1/user`. */
export async function describePrincipal(db: Kysely<Database>, principal: Principal): Promise<User> {
  const { accountId, userId, keyId, role = null, scopes } = principal;
  const account = await db.selectFrom('accounts').selectAll().where('id', '=', accountId).executeTakeFirstOrThrow();
  const users = db.selectFrom('auth_users').select(['id', 'name', 'email']);
  const user = userId === undefined ? undefined : await users.where('id', '=', userId).executeTakeFirst();
  const keys = db.selectFrom('api_keys').select(['id', 'name', 'start']).where('account_id', '=', accountId);
  const key = keyId === undefined ? undefined : await keys.where('id', '=', keyId).executeTakeFirst();
  return { account: toAccount(account), user: user ?? null, key: key ?? null, role, scopes: [...scopes] };
}
