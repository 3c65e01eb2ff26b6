import { defineOperation } from '@berth/accounts';
import { deployPageSchema, listDeploysQuerySchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import type { DeploymentRouteDeps } from './deployment-route-deps.ts';

/** `GET /v1/deploys` [+]. The newest 20 of each deployment are kept. */
export const registerListDeploys = defineOperation(
  'GET /v1/deploys',
  {
    scope: 'read',
    errors: ['not_found'],
    operationId: 'listDeploys',
    tags: ['Deployments'],
    summary: 'List running and finished deploys, newest first',
    request: { query: listDeploysQuerySchema },
    responses: { 200: jsonResponse(deployPageSchema, 'A page of deploys') },
  },
  async (c, { history }: DeploymentRouteDeps) => {
    const { page_token: before, ...query } = c.req.valid('query');
    return c.json(await history.list({ account: c.get('principal').accountId, before, ...query }), 200);
  },
);
