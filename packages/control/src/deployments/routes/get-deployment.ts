import type { Api } from '@berth/accounts';
import { defineRoute } from '@berth/accounts';
import { deploymentDetailSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { DeploymentView } from '../revisions/deployment-view.ts';
import type { RevisionStore } from '../revisions/revision-store.ts';
import type { DeploymentStore } from '../store/deployment-store.ts';
import { refuseReserved } from '../store/refuse-reserved.ts';

const route = defineRoute('GET /v1/deployment/{name}', {
  scope: 'read',
  errors: ['not_found'],
  operationId: 'getDeployment',
  tags: ['Deployments'],
  summary: 'One deployment with its revisions, newest first',
  request: { params: z.object({ name: z.string() }) },
  responses: { 200: jsonResponse(deploymentDetailSchema, 'The deployment') },
});

/** Dependencies of {@link registerGetDeployment}. */
export interface GetDeploymentDeps {
  readonly deployments: Pick<DeploymentStore, 'get'>;
  readonly revisions: Pick<RevisionStore, 'list'>;
  readonly view: DeploymentView;
}

/** Registers `GET /v1/deployment/{name}`. */
export function registerGetDeployment(api: Api, { deployments, revisions, view }: GetDeploymentDeps): void {
  api.openapi(route, async (c) => {
    const { accountId } = c.get('principal');
    const record = refuseReserved(await deployments.get(accountId, c.req.valid('param').name));
    const list = await revisions.list(accountId, record.name);
    return c.json({ ...view.row(record), revisions: list.map(view.revision) }, 200);
  });
}
