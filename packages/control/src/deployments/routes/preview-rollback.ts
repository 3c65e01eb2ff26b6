import { defineOperation } from '@berth/accounts';
import { rollbackPreviewSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { DeploymentRouteDeps } from './deployment-route-deps.ts';

/** Registers `GET /v1/deployment/rollback/preview`. */
export const registerPreviewRollback = defineOperation(
  'GET /v1/deployment/rollback/preview',
  {
    scope: 'read',
    errors: ['not_found', 'conflict'],
    operationId: 'previewRollback',
    tags: ['Deployments'],
    summary: 'Get what a rollback would change, without changing anything',
    request: {
      query: z.object({
        name: z.string(),
        revision: z.string().optional().openapi({ description: 'The previous successful revision by default' }),
      }),
    },
    responses: { 200: jsonResponse(rollbackPreviewSchema, 'The differences from the live revision') },
  },
  async (c, { deploys }: DeploymentRouteDeps) => {
    const { name, revision } = c.req.valid('query');
    return c.json(await deploys.previewRollback(c.get('principal').accountId, name, revision), 200);
  },
);
