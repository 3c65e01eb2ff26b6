import { type User, userSchema } from '@berth/contract';
import type { Database } from '@berth/database';
import { jsonResponse } from '@berth/http';
import type { Kysely } from 'kysely';
import type { Api } from '../http/api.ts';
import { defineRoute } from '../http/define-route.ts';
import { toAccount } from '../people/accounts.ts';
import type { Principal } from '../principal/principal.ts';

const route = defineRoute('GET /v1/user', {
  scope: 'any',
  operationId: 'getUser',
  tags: ['Account'],
  summary: 'Get the caller',
  responses: { 200: jsonResponse(userSchema, 'The account, person and key of the credential') },
});

/** Registers `GET /v1/user`. */
export function registerGetUser(api: Api, { db }: { readonly db: Kysely<Database> }): void {
  api.openapi(route, async (c) => c.json(await describePrincipal(db, c.get('principal')), 200));
}

async function describePrincipal(db: Kysely<Database>, principal: Principal): Promise<User> {
  const { accountId, userId, keyId, role = null, scopes } = principal;
  const account = await db.selectFrom('accounts').selectAll().where('id', '=', accountId).executeTakeFirstOrThrow();
  const users = db.selectFrom('auth_users').select(['id', 'name', 'email']);
  const user = userId === undefined ? undefined : await users.where('id', '=', userId).executeTakeFirst();
  const keys = db.selectFrom('api_keys').select(['id', 'name', 'start']).where('account_id', '=', accountId);
  const key = keyId === undefined ? undefined : await keys.where('id', '=', keyId).executeTakeFirst();
  return { account: toAccount(account), user: user ?? null, key: key ?? null, role, scopes: [...scopes] };
}
