import { auditSource, defineOperation } from '@berth/accounts';
import { jsonBody } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { deployStreamResponse, ndjsonResponse } from '../deploys/events/ndjson-response.ts';
import type { DeploymentRouteDeps } from './deployment-route-deps.ts';

const requestSchema = z
  .object({
    name: z.string(),
    revision: z.string().nullish().openapi({ description: 'The newest good one before the current, when absent' }),
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
    summary: 'Bring an earlier revision back, with the settings and environment it had; nothing is built',
    request: { body: jsonBody(requestSchema) },
    responses: { 200: deployStreamResponse('One event a line, as of a deploy') },
  },
  async (c, { deploys, follow }: DeploymentRouteDeps) => {
    const { accountId: account } = c.get('principal');
    const { name, revision } = c.req.valid('json');
    const request = { account, source: auditSource(c), name, revision: revision ?? undefined };
    const { id: deployId } = await deploys.rollback(request);
    return ndjsonResponse(c.get('logger'), (signal) => follow({ account, deployId, after: 0, signal }));
  },
);
