import { auditSource, defineOperation } from '@berth/accounts';
import { messageSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { deletionDetail } from '../removal/delete-deployment.ts';
import type { DeploymentRouteDeps } from './deployment-route-deps.ts';

const requestSchema = z.object({ name: z.string() }).openapi('DeleteDeploymentRequest');

/** Registers `POST /v1/deployment/delete`. */
export const registerDeleteDeployment = defineOperation(
  'POST /v1/deployment/delete',
  {
    scope: 'deploy',
    errors: ['not_found'],
    operationId: 'deleteDeployment',
    tags: ['Deployments'],
    summary: 'Delete a deployment; volumes and logs are kept',
    request: { body: jsonBody(requestSchema) },
    responses: { 200: jsonResponse(messageSchema, 'The deployment is deleted, or draining its last requests') },
  },
  async (c, { deletion }: DeploymentRouteDeps) => {
    const { name } = c.req.valid('json');
    const outcome = await deletion.delete(c.get('principal').accountId, name, auditSource(c));
    return c.json({ detail: deletionDetail(name, outcome) }, 200);
  },
);
