import { defineOperation } from '@berth/accounts';
import { deploymentDetailSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { refuseReserved } from '../store/deployment-store.ts';
import type { DeploymentRouteDeps } from './deployment-route-deps.ts';

/** Registers `GET /v1/deployment/{name}`. */
export const registerGetDeployment = defineOperation(
  'GET /v1/deployment/{name}',
  {
    scope: 'read',
    errors: ['not_found'],
    operationId: 'getDeployment',
    tags: ['Deployments'],
    summary: 'Get a deployment with its revisions, newest first',
    request: { params: z.object({ name: z.string() }) },
    responses: { 200: jsonResponse(deploymentDetailSchema, 'Name of the deployment') },
  },
  async (c, { deployments, history, revisions, view }: DeploymentRouteDeps) => {
    const { accountId } = c.get('principal');
    const record = refuseReserved(await deployments.get(accountId, c.req.valid('param').name));
    const list = await revisions.list(accountId, record.name);
    const last = await history.listLast(accountId, record.name);
    return c.json({ ...view.row(record, last), revisions: list.map(view.revision) }, 200);
  },
);
