import { userSchema } from '@berth/contract';
import type { Database } from '@berth/database';
import { jsonResponse } from '@berth/http';
import type { Kysely } from 'kysely';
import type { Api } from '../http/api.ts';
import { defineRoute } from '../http/define-route.ts';
import { describePrincipal } from '../people/describe-principal.ts';

const route = defineRoute('GET /v1/user', {
  scope: 'any',
  operationId: 'getUser',
  tags: ['Account'],
  summary: 'Who am I',
  responses: { 200: jsonResponse(userSchema, 'The account, person and key of the credential') },
});

/** Registers `GET /v1/user`. */
export function registerGetUser(api: Api, { db }: { readonly db: Kysely<Database> }): void {
  api.openapi(route, async (c) => c.json(await describePrincipal(db, c.get('principal')), 200));
}
