import { auditSource, defineOperation } from '@berth/accounts';
import { EXEC_PROTOCOL, execQuerySchema } from '@berth/contract';
import { acceptSocket } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { Exec } from '../create-exec.ts';

/** Dependencies of {@link registerExecCommand}. */
export interface ExecRouteDeps {
  readonly exec: Pick<Exec, 'reserve'>;
  readonly deployments: {
    /** @throws BerthError `not_found`, `forbidden` */
    get(account: string, name: string): Promise<{ readonly name: string }>;
  };
}

/** `GET /v1/deployment/{name}/exec` [+]. */
export const registerExecCommand = defineOperation(
  'GET /v1/deployment/{name}/exec',
  {
    scope: 'exec',
    errors: ['bad_request', 'not_found'],
    operationId: 'execCommand',
    tags: ['Deployments'],
    summary: 'Run a command in a running service, on a WebSocket',
    request: { params: z.object({ name: z.string() }), query: execQuerySchema },
    responses: { 204: { description: 'Never sent: the response to a handshake is 101' } },
  },
  async (c, { exec, deployments }: ExecRouteDeps) => {
    const source = auditSource(c);
    const { name } = await deployments.get(source.accountId, c.req.valid('param').name);
    const { instance } = c.req.valid('query');
    let run: ReturnType<Exec['reserve']> | undefined;
    const answer = acceptSocket(c, EXEC_PROTOCOL, (socket) => run?.(socket));
    run = exec.reserve({ source, deployment: name, instance });
    return answer as never;
  },
);
