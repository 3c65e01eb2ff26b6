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
    summary: 'Cancel a running deploy; its stream reports the result',
    request: { params: z.object({ deploy_id: z.string() }) },
    responses: { 200: jsonResponse(messageSchema, 'The deploy is being canceled') },
  },
  async (c, { deploys }: DeploymentRouteDeps) => {
    const { deploy_id: deployId } = c.req.valid('param');
    await deploys.cancel({ account: c.get('principal').accountId, source: auditSource(c), deployId });
    return c.json({ detail: 'The deploy is being canceled. The previous revision keeps serving.' }, 200);
  },
);
