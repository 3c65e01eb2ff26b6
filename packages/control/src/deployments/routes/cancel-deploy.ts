import { auditSource, defineOperation } from '@berth/accounts';
import { messageSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { DeploymentRouteDeps } from './deployment-route-deps.ts';

/** Registers `POST /v1/deploys/{deploy_id}/cancel`. */
export const registerCancelDeploy = defineOperation(
  'POST /v1/deploys/{deploy_id}/cancel',
  {
    scope: 'deploy',
    errors: ['not_found', 'conflict'],
    operationId: 'cancelDeploy',
    tags: ['Deployments'],
    summary: 'End a deploy that has not ended; its stream says how it did',
    request: { params: z.object({ deploy_id: z.string() }) },
    responses: { 200: jsonResponse(messageSchema, 'It is being ended') },
  },
  async (c, { deploys }: DeploymentRouteDeps) => {
    const { deploy_id: deployId } = c.req.valid('param');
    await deploys.cancel({ account: c.get('principal').accountId, source: auditSource(c), deployId });
    return c.json({ detail: 'The deploy is being canceled. What served before goes on serving.' }, 200);
  },
);
