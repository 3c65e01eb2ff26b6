import { auditSource, defineOperation } from '@berth/accounts';
import { TCP_PROTOCOL, tcpQuerySchema } from '@berth/contract';
import { acceptSocket } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { Tunnels } from '../create-tunnels.ts';
import type { ExecRouteDeps } from './exec-command.ts';

/** Dependencies of {@link registerOpenTunnel}. */
export interface TunnelRouteDeps extends Pick<ExecRouteDeps, 'deployments'> {
  readonly tunnels: Pick<Tunnels, 'reserve'>;
}

/** `GET /v1/deployment/{name}/tcp` [+]. */
export const registerOpenTunnel = defineOperation(
  'GET /v1/deployment/{name}/tcp',
  {
    scope: 'exec',
    errors: ['bad_request', 'not_found'],
    operationId: 'openTunnel',
    tags: ['Deployments'],
    summary: 'Connect to a TCP port of an instance, on a WebSocket',
    request: { params: z.object({ name: z.string() }), query: tcpQuerySchema },
    responses: { 204: { description: 'Never sent: the response to a handshake is 101' } },
  },
  async (c, { tunnels, deployments }: TunnelRouteDeps) => {
    const source = auditSource(c);
    const { name } = await deployments.get(source.accountId, c.req.valid('param').name);
    const { port, instance } = c.req.valid('query');
    let run: ReturnType<Tunnels['reserve']> | undefined;
    const answer = acceptSocket(c, TCP_PROTOCOL, (socket) => run?.(socket));
    run = tunnels.reserve({ source, deployment: name, port, instance });
    return answer as never;
  },
);
