import type { Api } from '@berth/accounts';
import { auditSource, defineRoute } from '@berth/accounts';
import type { Builder } from '@berth/builder';
import { deployFormSchema } from '@berth/contract';
import { registerStream, requestBody } from '@berth/http';
import type { Clock } from '@berth/kit';
import { z } from '@hono/zod-openapi';
import type { DeployService } from '../deploys/deploy-service.ts';
import type { FollowDeploy } from '../deploys/events/follow-deploy.ts';
import { ndjsonResponse } from '../deploys/events/ndjson-response.ts';
import { type MountRules, type OpenObject, readDeployRequest } from '../deploys/intake/read-deploy-request.ts';
import { deployStreamResponse } from './deploy-stream-response.ts';

const archive = z.string().openapi({ type: 'string', format: 'binary', description: 'A gzip tar, at most 100 MiB' });

const formSchema = deployFormSchema
  .extend({ 'source_archive.0': archive.optional(), source_archive: archive.optional() })
  .openapi('DeployForm');

const route = defineRoute('POST /v1/deploy', {
  scope: 'deploy',
  errors: ['conflict', 'not_available'],
  operationId: 'deploy',
  tags: ['Deployments'],
  summary: 'Build and deploy an archive; the answer streams how it goes',
  request: { body: { content: { 'multipart/form-data': { schema: formSchema } }, required: true } },
  responses: { 200: deployStreamResponse('One event a line; the deploy goes on when the stream is left') },
});

/** The dependencies of the route. */
export interface DeployRouteDeps extends MountRules {
  readonly deploys: Pick<DeployService, 'start'>;
  readonly follow: FollowDeploy;
  readonly builder: Pick<Builder, 'receive' | 'discard'>;
  readonly clock: Clock;
  readonly reservedNames: readonly string[];
  readonly openObject?: OpenObject | undefined;
}

/** Registers `POST /v1/deploy`. */
export function registerDeploy(api: Api, deps: DeployRouteDeps): void {
  registerStream(api, route, async (c) => {
    const { accountId: account } = c.get('principal');
    const contentType = c.req.header('content-type') ?? '';
    const { settings, archive: stored } = await readDeployRequest({
      ...deps,
      account,
      contentType,
      body: requestBody(c),
    });
    try {
      const { id } = await deps.deploys.start({ account, source: auditSource(c), settings, archive: stored });
      return ndjsonResponse(c.get('logger'), (signal) => deps.follow({ account, deployId: id, after: 0, signal }));
    } catch (error) {
      await deps.builder.discard(stored);
      throw error;
    }
  });
}
