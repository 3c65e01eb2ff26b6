import { auditSource, defineOperation } from '@berth/accounts';
import { EXEC_PROTOCOL, runQuerySchema } from '@berth/contract';
import type { RevisionTarget } from '@berth/gateway';
import { acceptSocket } from '@berth/http';
import type { AccountId } from '@berth/kit';
import { z } from '@hono/zod-openapi';
import type { Exec } from '../create-exec.ts';

/** Dependencies of {@link registerRunCommand}. */
export interface RunRouteDeps {
  readonly exec: Pick<Exec, 'reserve'>;
  /** Returns a revision that can be run; the serving one by default. @throws BerthError `not_found`, `forbidden`, `conflict` */
  runTarget(account: AccountId, name: string, revision: string | undefined): Promise<RevisionTarget>;
}

/** `GET /v1/deployment/{name}/run` [+]. */
export const registerRunCommand = defineOperation(
  'GET /v1/deployment/{name}/run',
  {
    scope: 'exec',
    errors: ['bad_request', 'not_found', 'conflict'],
    operationId: 'runCommand',
    tags: ['Deployments'],
    summary: 'Run a command in a new instance of its own, on a WebSocket',
    request: { params: z.object({ name: z.string() }), query: runQuerySchema },
    responses: { 204: { description: 'Never sent: the response to a handshake is 101' } },
  },
  async (c, { exec, runTarget }: RunRouteDeps) => {
    const source = auditSource(c);
    const target = await runTarget(source.accountId, c.req.valid('param').name, c.req.valid('query').revision);
    let run: ReturnType<Exec['reserve']> | undefined;
    const answer = acceptSocket(c, EXEC_PROTOCOL, (socket) => run?.(socket));
    run = exec.reserve({ source, deployment: target.deployment, target });
    return answer as never;
  },
);
