import { messageSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { auditSource } from '../audit/audit-log.ts';
import type { Api } from '../http/api.ts';
import { defineRoute } from '../http/define-route.ts';
import type { Keys } from '../keys/keys.ts';

const route = defineRoute('DELETE /v1/user/keys', {
  scope: 'admin',
  errors: ['not_found'],
  operationId: 'revokeKey',
  tags: ['Account'],
  summary: 'Revoke an API key immediately and permanently',
  request: { query: z.object({ id: z.string().min(1).openapi({ description: 'Id of the key' }) }) },
  responses: { 200: jsonResponse(messageSchema, 'The key is revoked') },
});

/** Registers `DELETE /v1/user/keys`. */
export function registerRevokeKey(api: Api, { keys }: { readonly keys: Pick<Keys, 'revoke'> }): void {
  api.openapi(route, async (c) => {
    const { id } = c.req.valid('query');
    await keys.revoke({ accountId: c.get('principal').accountId, keyId: id }, auditSource(c));
    return c.json({ detail: `The key ${id} is revoked.` }, 200);
  });
}
