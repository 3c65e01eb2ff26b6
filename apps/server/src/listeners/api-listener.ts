import type { IncomingMessage } from 'node:http';
import { LIMITS } from '@berth/contract';
import { createUpgradeHandler } from '@berth/http';
import type { ProxyTrust } from '@berth/kit/node';
import { getRequestListener } from '@hono/node-server';
import { continueOnRead } from './continue-on-read.ts';
import type { RequestHandler } from './front-door.ts';

/** Handles a request of the API; `bindings` are those of `@hono/node-server` and the client's address. */
export type FetchApi = (request: Request, bindings: object) => Response | Promise<Response>;

function withClientAddress(fetchApi: FetchApi, proxies: ProxyTrust | undefined): FetchApi {
  return (request, bindings) => {
    const { headers, socket } = (bindings as { readonly incoming: IncomingMessage }).incoming;
    if (proxies === undefined || socket.remoteAddress === undefined) return fetchApi(request, bindings);
    const forwardedFor = [headers['x-forwarded-for'] ?? []].flat().join();
    return fetchApi(request, { ...bindings, clientAddress: proxies.clientOf(socket.remoteAddress, forwardedFor) });
  };
}

/** As {@link createApiListener}, for requests that become WebSockets. */
export function createApiUpgrades(fetchApi: FetchApi, proxies?: ProxyTrust) {
  return createUpgradeHandler(withClientAddress(fetchApi, proxies), LIMITS.execMessageBytes);
}

/** Creates the listener of the control plane's API. Behind trusted `proxies`, the client's address is the one they report. */
export function createApiListener(fetchApi: FetchApi, proxies?: ProxyTrust): RequestHandler {
  const serve = getRequestListener(withClientAddress(fetchApi, proxies), { overrideGlobalObjects: false });
  return (request, response) => {
    // For services the gateway does this, once an instance can take the body.
    continueOnRead(request, response);
    void serve(request, response);
  };
}
