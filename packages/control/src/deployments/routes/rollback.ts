import type { Api } from '@berth/accounts';
import { auditSource, defineRoute } from '@berth/accounts';
import { jsonBody } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { DeployService } from '../deploys/deploy-service.ts';
import type { FollowDeploy } from '../deploys/events/follow-deploy.ts';
import { ndjsonResponse } from '../deploys/events/ndjson-response.ts';
import { deployStreamResponse } from './deploy-stream-response.ts';

const requestSchema = z
  .object({
    name: z.string(),
    revision: z.string().nullish().openapi({ description: 'The newest good one before the current, when absent' }),
  })
  .openapi('RollbackRequest');

const route = defineRoute('POST /v1/deployment/rollback', {
  scope: 'deploy',
  errors: ['not_found', 'conflict'],
  operationId: 'rollback',
  tags: ['Deployments'],
  summary: 'Bring an earlier revision back, with the settings and environment it had; nothing is built',
  request: { body: jsonBody(requestSchema) },
  responses: { 200: deployStreamResponse('One event a line, as of a deploy') },
});

/** Dependencies of {@link registerRollback}. */
export interface RollbackDeps {
  readonly deploys: Pick<DeployService, 'rollback'>;
  readonly follow: FollowDeploy;
}

/** Registers `POST /v1/deployment/rollback`. */
export function registerRollback(api: Api, { deploys, follow }: RollbackDeps): void {
  api.openapi(route, async (c) => {
    const { accountId: account } = c.get('principal');
    const { name, revision } = c.req.valid('json');
    const request = { account, source: auditSource(c), name, revision: revision ?? undefined };
    const { id: deployId } = await deploys.rollback(request);
    return ndjsonResponse(c.get('logger'), (signal) => follow({ account, deployId, after: 0, signal }));
  });
}
