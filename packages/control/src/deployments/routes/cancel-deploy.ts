import type { Api } from '@berth/accounts';
import { auditSource, defineRoute } from '@berth/accounts';
import { messageSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { DeployService } from '../deploys/deploy-service.ts';

const route = defineRoute('POST /v1/deploys/{deploy_id}/cancel', {
  scope: 'deploy',
  errors: ['not_found', 'conflict'],
  operationId: 'cancelDeploy',
  tags: ['Deployments'],
  summary: 'End a deploy that has not ended; its stream says how it did',
  request: { params: z.object({ deploy_id: z.string() }) },
  responses: { 200: jsonResponse(messageSchema, 'It is being ended') },
});

/** Registers `POST /v1/deploys/{deploy_id}/cancel`. */
export function registerCancelDeploy(api: Api, { deploys }: { readonly deploys: Pick<DeployService, 'cancel'> }): void {
  api.openapi(route, async (c) => {
    const { deploy_id: deployId } = c.req.valid('param');
    await deploys.cancel({ account: c.get('principal').accountId, source: auditSource(c), deployId });
    return c.json({ detail: 'The deploy is being cancelled. What served before goes on serving.' }, 200);
  });
}
