import type { IncomingMessage } from 'node:http';
import type { ProxyTrust } from '@berth/kit/node';
import { getRequestListener } from '@hono/node-server';
import { continueOnRead } from './continue-on-read.ts';
import type { RequestHandler } from './front-door.ts';

/** What `@hono/node-server` hands over beside a request, and what is added to it. */
export type FetchApi = (request: Request, bindings: object) => Response | Promise<Response>;

/** Serves the control plane's API in this process. A caller's address is what the `proxies` say, where one is in between. */
export function createApiListener(fetchApi: FetchApi, proxies?: ProxyTrust): RequestHandler {
  const withAddress = (request: Request, bindings: object) => {
    const { headers, socket } = (bindings as { readonly incoming: IncomingMessage }).incoming;
    if (proxies === undefined || socket.remoteAddress === undefined) return fetchApi(request, bindings);
    const forwardedFor = [headers['x-forwarded-for'] ?? []].flat().join();
    return fetchApi(request, { ...bindings, clientAddress: proxies.clientOf(socket.remoteAddress, forwardedFor) });
  };
  const serve = getRequestListener(withAddress, { overrideGlobalObjects: false });
  return (request, response) => {
    // Services are not in this: the gateway gives leave when there is an instance to send the body to.
    continueOnRead(request, response);
    void serve(request, response);
  };
}
