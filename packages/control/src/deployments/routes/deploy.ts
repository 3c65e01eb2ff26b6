import { type Api, auditSource, defineRoute } from '@berth/accounts';
import { deployFormSchema } from '@berth/contract';
import { registerStream, requestBody } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { deployStreamResponse, ndjsonResponse } from '../deploys/events/ndjson-response.ts';
import { readDeployRequest } from '../deploys/intake/read-deploy-request.ts';
import type { DeploymentRouteDeps } from './deployment-route-deps.ts';

const archive = z.string().openapi({ type: 'string', format: 'binary', description: 'A gzip tar, at most 100 MiB' });

const formSchema = deployFormSchema
  .extend({ 'source_archive.0': archive.optional(), source_archive: archive.optional() })
  .openapi('DeployForm');

const route = defineRoute('POST /v1/deploy', {
  scope: 'deploy',
  errors: ['conflict', 'not_available'],
  operationId: 'deploy',
  tags: ['Deployments'],
  summary: 'Build and deploy an archive; streams progress',
  request: { body: { content: { 'multipart/form-data': { schema: formSchema } }, required: true } },
  responses: { 200: deployStreamResponse('One event per line; the deploy continues if the client disconnects') },
});

/** Registers `POST /v1/deploy`. */
export function registerDeploy(api: Api, deps: DeploymentRouteDeps): void {
  registerStream(api, route, async (c) => {
    const { accountId: account } = c.get('principal');
    const contentType = c.req.header('content-type') ?? '';
    const { archive: stored, ...request } = await readDeployRequest({
      ...deps,
      account,
      contentType,
      body: requestBody(c),
    });
    try {
      const { id } = await deps.deploys.start({ account, source: auditSource(c), ...request, archive: stored });
      return ndjsonResponse(c.get('logger'), (signal) => deps.follow({ account, deployId: id, after: 0, signal }));
    } catch (error) {
      await deps.builder.discard(stored);
      throw error;
    }
  });
}
