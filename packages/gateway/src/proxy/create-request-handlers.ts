import type { IncomingMessage, ServerResponse } from 'node:http';
import { closingRefusal, unknownRefusal, upgradeBodyRefusal } from '../admission/refusal.ts';
import type { Route } from '../admission/ticket.ts';
import type { RequestHandlers } from '../port/gateway.ts';
import { ClientResponse } from './client-response.ts';
import { Exchange, type ExchangeContext, type UpgradeClient } from './exchange.ts';
import { hasBody } from './request-body.ts';
import { acceptUpgrade } from './upgrade-client.ts';

/** The routes of all deployments. */
export interface RouteTable {
  /** Returns the route of a deployment; undefined when there is none. */
  find(deployment: string): Route | undefined;
  /** The platform is shutting down; requests without a route are answered with 503 instead of 404. */
  readonly isClosing: boolean;
}

/** Creates the handlers that serve each request of a server as an {@link Exchange}. */
export function createRequestHandlers(context: ExchangeContext, routes: RouteTable): RequestHandlers {
  const handle = (
    deployment: string,
    request: IncomingMessage,
    response: ServerResponse,
    upgrade: UpgradeClient | null,
  ) => {
    const route = routes.find(deployment);
    const pool = route?.current;
    if (route === undefined || !pool) {
      // The request belongs to no account, so it is not recorded.
      const refusal = routes.isClosing ? closingRefusal() : unknownRefusal(deployment);
      new ClientResponse(request, response, () => {}, null).answer(refusal, routes.isClosing);
      return;
    }
    new Exchange(context, route, pool, request, response, upgrade).start();
  };

  return {
    handleRequest(deployment, request, response) {
      handle(deployment, request, response, null);
    },
    handleUpgrade(deployment, request, socket, head) {
      const { response, client } = acceptUpgrade(request, socket, head);
      if (hasBody(request)) new ClientResponse(request, response, () => {}, null).answer(upgradeBodyRefusal(), true);
      else handle(deployment, request, response, client);
    },
  };
}
