import type { Api } from '@berth/accounts';
import { auditSource, defineRoute } from '@berth/accounts';
import { messageSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { type DeploymentDeletion, deletionDetail } from '../removal/delete-deployment.ts';

const requestSchema = z.object({ name: z.string() }).openapi('DeleteDeploymentRequest');

const route = defineRoute('POST /v1/deployment/delete', {
  scope: 'deploy',
  errors: ['not_found'],
  operationId: 'deleteDeployment',
  tags: ['Deployments'],
  summary: 'Stop a deployment and give its name free; volumes and logs stay',
  request: { body: jsonBody(requestSchema) },
  responses: { 200: jsonResponse(messageSchema, 'It is deleted, or its last requests are still running') },
});

/** Registers `POST /v1/deployment/delete`. */
export function registerDeleteDeployment(api: Api, { deletion }: { readonly deletion: DeploymentDeletion }): void {
  api.openapi(route, async (c) => {
    const { name } = c.req.valid('json');
    const outcome = await deletion.delete(c.get('principal').accountId, name, auditSource(c));
    return c.json({ detail: deletionDetail(name, outcome) }, 200);
  });
}
