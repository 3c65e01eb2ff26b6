import { getRequestListener } from '@hono/node-server';
import { continueOnRead } from './continue-on-read.ts';
import type { RequestHandler } from './front-door.ts';

/** What `@hono/node-server` hands over beside a request, and what is added to it. */
export type FetchApi = (request: Request, bindings: object) => Response | Promise<Response>;

/** Serves the control plane's API in this process. */
export function createApiListener(fetchApi: FetchApi): RequestHandler {
  const serve = getRequestListener(fetchApi, { overrideGlobalObjects: false });
  return (request, response) => {
    // Services are not in this: the gateway gives leave when there is an instance to send the body to.
    continueOnRead(request, response);
    void serve(request, response);
  };
}
