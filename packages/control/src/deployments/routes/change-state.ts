import { auditSource, defineOperation } from '@berth/accounts';
import type { StateChange } from '@berth/contract';
import { jsonBody } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { deployStreamResponse, ndjsonResponse } from '../deploys/events/ndjson-response.ts';
import type { DeploymentRouteDeps } from './deployment-route-deps.ts';

const requestSchema = z.object({ name: z.string() }).openapi('ChangeStateRequest');

/** Registers `POST /v1/deployment/restart`. */
export const registerRestart = stateChange(
  'restart',
  'Replace all instances by new ones of the same revision, without dropping requests',
);

/** Registers `POST /v1/deployment/stop`. */
export const registerStop = stateChange(
  'stop',
  'Stop a deployment: its instances drain, its schedule is paused, and its requests are answered with 503 until it is resumed',
);

/** Registers `POST /v1/deployment/resume`. */
export const registerResume = stateChange('resume', 'Start a stopped deployment with its newest variables');

/** Defines the operation of a {@link StateChange}: they differ in their name alone. */
function stateChange<Kind extends StateChange>(kind: Kind, summary: string) {
  return defineOperation(
    `POST /v1/deployment/${kind}`,
    {
      scope: 'deploy',
      errors: ['not_found', 'conflict'],
      operationId: `${kind}Deployment`,
      tags: ['Deployments'],
      summary,
      request: { body: jsonBody(requestSchema) },
      responses: { 200: deployStreamResponse('One event per line, as for a deploy') },
    },
    async (c, { deploys, follow }: DeploymentRouteDeps) => {
      const { accountId: account } = c.get('principal');
      const { name } = c.req.valid('json');
      const { id: deployId } = await deploys.changeState({ account, source: auditSource(c), name, kind });
      return ndjsonResponse(c.get('logger'), (signal) => follow({ account, deployId, after: 0, signal }));
    },
  );
}
