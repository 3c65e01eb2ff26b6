import { auditSource, defineOperation } from '@berth/accounts';
import { jsonBody } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { deployStreamResponse, ndjsonResponse } from '../deploys/events/ndjson-response.ts';
import type { DeploymentRouteDeps } from './deployment-route-deps.ts';

const requestSchema = z
  .object({
    name: z.string(),
    revision: z.string().nullish().openapi({ description: 'The previous successful revision by default' }),
  })
  .openapi('RollbackRequest');

/** Registers `POST /v1/deployment/rollback`. */
export const registerRollback = defineOperation(
  'POST /v1/deployment/rollback',
  {
    scope: 'deploy',
    errors: ['not_found', 'conflict'],
    operationId: 'rollback',
    tags: ['Deployments'],
    summary: 'Roll back to an earlier revision with its settings and variables, without a build',
    request: { body: jsonBody(requestSchema) },
    responses: { 200: deployStreamResponse('One event per line, as for a deploy') },
  },
  async (c, { deploys, follow }: DeploymentRouteDeps) => {
    const { accountId: account } = c.get('principal');
    const { name, revision } = c.req.valid('json');
    const request = { account, source: auditSource(c), name, revision: revision ?? undefined };
    const { id: deployId } = await deploys.rollback(request);
    return ndjsonResponse(c.get('logger'), (signal) => follow({ account, deployId, after: 0, signal }));
  },
);
