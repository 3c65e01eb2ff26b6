import type { IncomingMessage, ServerResponse } from 'node:http';
import { closingRefusal, unknownRefusal, upgradeBodyRefusal } from '../admission/refusal.ts';
import type { Route } from '../admission/ticket.ts';
import type { RequestHandlers } from '../port/gateway.ts';
import { ClientResponse } from './client-response.ts';
import { Exchange, type ExchangeContext, type UpgradeClient } from './exchange.ts';
import { hasBody } from './request-body.ts';
import { acceptUpgrade } from './upgrade-client.ts';

/** Where a deployment's requests go. */
export interface RouteTable {
  find(deployment: string): Route | undefined;
  /** The platform goes down: what has no route will have none. */
  readonly isClosing: boolean;
}

/** Turns what a server hands over into exchanges. */
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
      // Nobody's request: there is no account whose log it would belong to.
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
