import { auditSource, defineOperation } from '@berth/accounts';
import { setTrafficRequestSchema, trafficSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { DeploymentRouteDeps } from './deployment-route-deps.ts';

/** Registers `POST /v1/deployment/traffic`. */
export const registerSetTraffic = defineOperation(
  'POST /v1/deployment/traffic',
  {
    scope: 'deploy',
    errors: ['not_found', 'conflict'],
    operationId: 'setTraffic',
    tags: ['Deployments'],
    summary: 'Split the traffic of a deployment by weight, and give revisions tags',
    request: { body: jsonBody(setTrafficRequestSchema) },
    responses: { 200: jsonResponse(trafficSchema, 'The split and the tags from now on') },
  },
  async (c, { traffic }: DeploymentRouteDeps) =>
    c.json(await traffic.set(c.get('principal').accountId, c.req.valid('json'), auditSource(c)), 200),
);
