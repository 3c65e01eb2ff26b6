import { createdKeySchema, createKeyRequestSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import { auditSource } from '../audit/audit-log.ts';
import type { Api } from '../http/api.ts';
import { defineRoute } from '../http/define-route.ts';
import type { Keys } from '../keys/keys.ts';

const route = defineRoute('POST /v1/user/keys', {
  scope: 'admin',
  operationId: 'createKey',
  tags: ['Account'],
  summary: 'Create an API key; its secret is shown once',
  request: { body: jsonBody(createKeyRequestSchema) },
  responses: { 200: jsonResponse(createdKeySchema, 'The key and its secret') },
});

/** Registers `POST /v1/user/keys`. */
export function registerCreateKey(api: Api, { keys }: { readonly keys: Pick<Keys, 'create'> }): void {
  api.openapi(route, async (c) => {
    const { accountId, userId, scopes: ownScopes } = c.get('principal');
    const { name, scopes = ownScopes, expires_at } = c.req.valid('json');
    const expiresAtMs = expires_at ? Date.parse(expires_at) : undefined;
    return c.json(await keys.create({ accountId, userId, name, scopes, expiresAtMs }, auditSource(c)), 200);
  });
}
