import { defineOperation } from '@berth/accounts';
import { environmentKeySchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { DeploymentRouteDeps } from './deployment-route-deps.ts';

/** Registers `GET /v1/env/list`. */
export const registerListEnvironment = defineOperation(
  'GET /v1/env/list',
  {
    scope: 'read',
    errors: ['not_found'],
    operationId: 'listEnvironment',
    tags: ['Environment'],
    summary: "List a deployment's variables, without values",
    request: { query: z.object({ name: z.string() }) },
    responses: { 200: jsonResponse(z.array(environmentKeySchema), 'The keys, sorted') },
  },
  async (c, { environment }: DeploymentRouteDeps) => {
    const keys = await environment.list(c.get('principal').accountId, c.req.valid('query').name);
    const rows = keys.map(({ key, updatedAtMs }) => ({ key, updated_at: new Date(updatedAtMs).toISOString() }));
    return c.json(rows, 200);
  },
);
