import { createAccountRequestSchema, createdAccountSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import { auditSource } from '../audit/audit-log.ts';
import type { Api } from '../http/api.ts';
import { defineRoute } from '../http/define-route.ts';
import type { Accounts } from '../people/accounts.ts';

const route = defineRoute('POST /v1/admin/accounts', {
  scope: 'admin',
  isOperatorOnly: true,
  errors: ['conflict'],
  operationId: 'createAccount',
  tags: ['Admin'],
  summary: 'Create an account and its first key',
  request: { body: jsonBody(createAccountRequestSchema) },
  responses: { 200: jsonResponse(createdAccountSchema, 'The account and its key with the secret') },
});

/** Registers `POST /v1/admin/accounts`. */
export function registerCreateAccount(api: Api, { accounts }: { readonly accounts: Pick<Accounts, 'create'> }): void {
  api.openapi(route, async (c) => {
    const { name, user } = c.req.valid('json');
    return c.json(await accounts.create({ name, user }, auditSource(c)), 200);
  });
}
