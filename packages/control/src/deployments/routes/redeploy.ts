import { auditSource, defineOperation } from '@berth/accounts';
import { redeployRequestSchema, toSettingsChanges } from '@berth/contract';
import { jsonBody } from '@berth/http';
import { deployStreamResponse, ndjsonResponse } from '../deploys/events/ndjson-response.ts';
import type { DeploymentRouteDeps } from './deployment-route-deps.ts';

/** `POST /v1/deployment/redeploy` [+]. */
export const registerRedeploy = defineOperation(
  'POST /v1/deployment/redeploy',
  {
    scope: 'deploy',
    errors: ['not_found', 'conflict'],
    operationId: 'redeploy',
    tags: ['Deployments'],
    summary: 'Redeploy the current build as a new revision, optionally with other settings',
    request: { body: jsonBody(redeployRequestSchema) },
    responses: { 200: deployStreamResponse('One event per line, as for a deploy') },
  },
  async (c, { deploys, follow }: DeploymentRouteDeps) => {
    const { accountId: account } = c.get('principal');
    const body = c.req.valid('json');
    const request = { account, source: auditSource(c), name: body.name, changes: toSettingsChanges(body) };
    const { id: deployId } = await deploys.redeploy(request);
    return ndjsonResponse(c.get('logger'), (signal) => follow({ account, deployId, after: 0, signal }));
  },
);
