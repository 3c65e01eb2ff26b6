import type { Api } from '@berth/accounts';
import { defineRoute } from '@berth/accounts';
import { environmentKeySchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { EnvironmentService } from '../deploys/environment-service.ts';

const route = defineRoute('GET /v1/env/list', {
  scope: 'read',
  errors: ['not_found'],
  operationId: 'listEnvironment',
  tags: ['Environment'],
  summary: 'The variables of a deployment, without their values',
  request: { query: z.object({ name: z.string() }) },
  responses: { 200: jsonResponse(z.array(environmentKeySchema), 'Keys in their order') },
});

/** Registers `GET /v1/env/list`. */
export function registerListEnvironment(api: Api, { environment }: { readonly environment: EnvironmentService }): void {
  api.openapi(route, async (c) => {
    const keys = await environment.list(c.get('principal').accountId, c.req.valid('query').name);
    const rows = keys.map(({ key, updatedAtMs }) => ({ key, updated_at: new Date(updatedAtMs).toISOString() }));
    return c.json(rows, 200);
  });
}
