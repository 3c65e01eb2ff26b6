import type { Api } from '@berth/accounts';
import { defineRoute } from '@berth/accounts';
import { deploymentSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { DeploymentView } from '../revisions/deployment-view.ts';
import type { DeploymentStore } from '../store/deployment-store.ts';

const route = defineRoute('GET /v1/deployment/list', {
  scope: 'read',
  operationId: 'listDeployments',
  tags: ['Deployments'],
  summary: 'The deployments of the account, newest first',
  responses: { 200: jsonResponse(z.array(deploymentSchema), 'The deployments') },
});

/** Dependencies of {@link registerListDeployments}. */
export interface ListDeploymentsDeps {
  readonly deployments: Pick<DeploymentStore, 'list'>;
  readonly view: DeploymentView;
}

/** Registers `GET /v1/deployment/list`. */
export function registerListDeployments(api: Api, { deployments, view }: ListDeploymentsDeps): void {
  api.openapi(route, async (c) => {
    const records = await deployments.list(c.get('principal').accountId);
    return c.json(records.map(view.row), 200);
  });
}
