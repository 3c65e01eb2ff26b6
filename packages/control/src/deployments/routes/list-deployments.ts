import { defineOperation } from '@berth/accounts';
import { deploymentSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { DeploymentRouteDeps } from './deployment-route-deps.ts';

/** Registers `GET /v1/deployment/list`. */
export const registerListDeployments = defineOperation(
  'GET /v1/deployment/list',
  {
    scope: 'read',
    operationId: 'listDeployments',
    tags: ['Deployments'],
    summary: "List the account's deployments, newest first",
    responses: { 200: jsonResponse(z.array(deploymentSchema), 'The deployments') },
  },
  async (c, { deployments, history, view }: DeploymentRouteDeps) => {
    const { accountId } = c.get('principal');
    const [records, last] = await Promise.all([deployments.list(accountId), history.listLast(accountId)]);
    const rows = records.map((record) => view.row(record, last));
    return c.json(rows, 200);
  },
);
