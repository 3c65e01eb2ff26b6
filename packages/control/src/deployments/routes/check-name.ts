import { defineOperation } from '@berth/accounts';
import { deploymentNameProblem, nameCheckSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { DeploymentRouteDeps } from './deployment-route-deps.ts';

/** Registers `GET /v1/deployment/check-name`. */
export const registerCheckName = defineOperation(
  'GET /v1/deployment/check-name',
  {
    scope: 'read',
    operationId: 'checkName',
    tags: ['Deployments'],
    summary: 'Check whether a name is available',
    request: {
      query: z.object({
        name: z.string(),
        existing: z.enum(['true', 'false']).optional().openapi({ description: '`true` adds `exists` to the response' }),
      }),
    },
    responses: { 200: jsonResponse(nameCheckSchema, "The caller's own names are available") },
  },
  async (c, { deployments, reservedNames }: DeploymentRouteDeps) => {
    const { name, existing } = c.req.valid('query');
    const problem = deploymentNameProblem(name, reservedNames);
    if (problem) return c.json({ available: false, reason: problem }, 200);
    const { accountId } = c.get('principal');
    const own = await deployments.find(accountId, name);
    const exists = existing === 'true' && own !== undefined && own.status !== 'reserved';
    if (own) return c.json({ available: true, ...(exists && { exists }) }, 200);
    if ((await deployments.ownership(accountId, name)) === 'free') return c.json({ available: true }, 200);
    return c.json({ available: false, reason: `The name "${name}" belongs to another account.` }, 200);
  },
);
