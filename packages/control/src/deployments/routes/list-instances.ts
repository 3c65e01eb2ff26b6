import { defineOperation } from '@berth/accounts';
import { instanceSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { refuseReserved } from '../store/deployment-store.ts';
import type { DeploymentRouteDeps } from './deployment-route-deps.ts';

/** Registers `GET /v1/deployment/instances`. */
export const registerListInstances = defineOperation(
  'GET /v1/deployment/instances',
  {
    scope: 'read',
    errors: ['not_found'],
    operationId: 'listInstances',
    tags: ['Deployments'],
    summary: 'List the instances of a deployment, or of all, on all servers',
    request: { query: z.object({ name: z.string().optional().openapi({ description: 'Only this deployment' }) }) },
    responses: { 200: jsonResponse(z.array(instanceSchema), 'The instances that have not ended') },
  },
  async (c, { deployments, instances }: DeploymentRouteDeps) => {
    const { accountId } = c.get('principal');
    const { name } = c.req.valid('query');
    if (name !== undefined) refuseReserved(await deployments.get(accountId, name));
    return c.json(await instances.list(accountId, name), 200);
  },
);
