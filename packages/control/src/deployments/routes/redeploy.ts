import type { Api } from '@berth/accounts';
import { auditSource, defineRoute } from '@berth/accounts';
import { redeployRequestSchema, toSettingsChanges } from '@berth/contract';
import { jsonBody } from '@berth/http';
import type { DeployService } from '../deploys/deploy-service.ts';
import type { FollowDeploy } from '../deploys/events/follow-deploy.ts';
import { ndjsonResponse } from '../deploys/events/ndjson-response.ts';
import { deployStreamResponse } from './deploy-stream-response.ts';

const route = defineRoute('POST /v1/deployment/redeploy', {
  scope: 'deploy',
  errors: ['not_found', 'conflict'],
  operationId: 'redeploy',
  tags: ['Deployments'],
  summary: 'Start what serves anew with other settings, as a new revision; nothing is built, no source is needed',
  request: { body: jsonBody(redeployRequestSchema) },
  responses: { 200: deployStreamResponse('One event a line, as of a deploy') },
});

/** Dependencies of {@link registerRedeploy}. */
export interface RedeployDeps {
  readonly deploys: Pick<DeployService, 'redeploy'>;
  readonly follow: FollowDeploy;
}

/** `POST /v1/deployment/redeploy` [+]. */
export function registerRedeploy(api: Api, { deploys, follow }: RedeployDeps): void {
  api.openapi(route, async (c) => {
    const { accountId: account } = c.get('principal');
    const body = c.req.valid('json');
    const request = { account, source: auditSource(c), name: body.name, changes: toSettingsChanges(body) };
    const { id: deployId } = await deploys.redeploy(request);
    return ndjsonResponse(c.get('logger'), (signal) => follow({ account, deployId, after: 0, signal }));
  });
}
