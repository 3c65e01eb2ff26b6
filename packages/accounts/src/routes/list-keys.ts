import { apiKeySchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { Api } from '../http/api.ts';
import { defineRoute } from '../http/define-route.ts';
import type { Keys } from '../keys/keys.ts';

const route = defineRoute('GET /v1/user/keys', {
  scope: 'admin',
  operationId: 'listKeys',
  tags: ['Account'],
  summary: 'List the API keys of the account, newest first',
  responses: { 200: jsonResponse(z.array(apiKeySchema), 'The active keys, without their secrets') },
});

/** Registers `GET /v1/user/keys`. */
export function registerListKeys(api: Api, { keys }: { readonly keys: Pick<Keys, 'list'> }): void {
  api.openapi(route, async (c) => c.json([...(await keys.list(c.get('principal').accountId))], 200));
}
