import type { RequestListener, ServerResponse } from 'node:http';
import { sendDirectly } from '@berth/http';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Agent } from './agent.ts';

/** Returns a listener that answers a Node server's requests with `fetch`. */
export function requestListener(fetch: Agent['fetch']): RequestListener {
  const serve = getRequestListener(
    async (request, env) => {
      const response = await fetch(request, env);
      return sendDirectly(response, env.outgoing as ServerResponse) ? RESPONSE_ALREADY_SENT : response;
    },
    { overrideGlobalObjects: false },
  );
  return (request, response) => void serve(request, response);
}
