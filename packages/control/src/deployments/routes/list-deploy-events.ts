import { defineOperation } from '@berth/accounts';
import { z } from '@hono/zod-openapi';
import { deployStreamResponse, ndjsonResponse } from '../deploys/events/ndjson-response.ts';
import type { DeploymentRouteDeps } from './deployment-route-deps.ts';

const afterSchema = z
  .string()
  .regex(/^\d{1,9}$/, 'must be an integer from 0')
  .transform(Number)
  .optional()
  .openapi({ type: 'integer', minimum: 0, default: 0, description: 'Only events after this `seq`' });

/** Registers `GET /v1/deploys/{deploy_id}/events`. */
export const registerFollowDeploy = defineOperation(
  'GET /v1/deploys/{deploy_id}/events',
  {
    scope: 'read',
    errors: ['not_found'],
    operationId: 'followDeploy',
    tags: ['Deployments'],
    summary: 'Replay and follow the events of a deploy until it ends',
    request: { params: z.object({ deploy_id: z.string() }), query: z.object({ after: afterSchema }) },
    responses: { 200: deployStreamResponse('One event per line') },
  },
  async (c, { deploys, follow }: DeploymentRouteDeps) => {
    const { accountId: account } = c.get('principal');
    const { after = 0 } = c.req.valid('query');
    // Checked before the response begins, because a stream can't become a 404.
    const { id: deployId } = await deploys.get(account, c.req.valid('param').deploy_id);
    return ndjsonResponse(c.get('logger'), (signal) => follow({ account, deployId, after, signal }));
  },
);
