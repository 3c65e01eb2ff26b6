import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { closingRefusal, unknownRefusal, upgradeBodyRefusal } from '../admission/refusal.ts';
import type { Route } from '../admission/ticket.ts';
import type { RequestHandlers } from '../port/gateway.ts';
import { sendRefusal } from './client-response.ts';
import { Exchange, type ExchangeContext, type UpgradeClient } from './exchange.ts';
import { hasBody } from './request-body.ts';
import { TrafficTable } from './traffic-table.ts';

/** The routes of all deployments. */
export interface RouteTable {
  /** Returns a route by its name; undefined when there is none. */
  find(deployment: string): Route | undefined;
  /** The platform is shutting down; requests without a route are answered with 503 instead of 404. */
  readonly isClosing: boolean;
}

/** Creates the handlers that serve each request of a server as an {@link Exchange}. */
export function createRequestHandlers(
  context: ExchangeContext,
  routes: RouteTable,
  traffic = new TrafficTable(),
): RequestHandlers {
  const handle = (
    deployment: string,
    request: IncomingMessage,
    response: ServerResponse,
    upgrade: UpgradeClient | null,
  ) => {
    let route = routes.find(deployment);
    let cookie = '';
    const chosen = traffic.choose(deployment, request.headers.cookie, context.secret);
    if (chosen !== undefined) {
      const other = routes.find(chosen.route);
      // One that this process doesn't have yet is served by the current revision.
      if (other?.current) {
        route = other;
        cookie = chosen.cookie;
      }
    }
    // Looked up last, so that tags cost other requests nothing.
    if (route === undefined) route = routes.find(traffic.tagged(deployment) ?? '');
    const pool = route?.current;
    if (route === undefined || !pool) {
      // The request belongs to no account, so it is not recorded.
      const refusal = routes.isClosing ? closingRefusal() : unknownRefusal(deployment);
      sendRefusal(request, response, refusal, routes.isClosing);
      return;
    }
    new Exchange(context, route, pool, request, response, upgrade, cookie).start();
  };

  return {
    setTraffic: (rules) => traffic.setTraffic(rules),
    handleRequest(deployment, request, response) {
      handle(deployment, request, response, null);
    },
    handleUpgrade(deployment, request, socket, head) {
      const { response, client } = acceptUpgrade(request, socket, head);
      if (hasBody(request)) sendRefusal(request, response, upgradeBodyRefusal(), true);
      else handle(deployment, request, response, client);
    },
  };
}

/** Bytes a client may send before its tunnel is open. */
const EARLY_BYTES_MAX = 65_536;

/** An accepted `Upgrade` request. */
interface Upgrade {
  /** The response for any status other than 101. It closes the connection when it ends. */
  readonly response: ServerResponse;
  /** Null for an upgrade to h2c, which is ignored: the request is served over HTTP/1.1 (RFC 9113 section 3.1). */
  readonly client: UpgradeClient | null;
}

/** Takes over the socket of an `Upgrade` request, which Node has detached from its parser. */
function acceptUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Upgrade {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  response.on('finish', () => (socket as Socket).destroySoon());
  socket.on('error', () => {});

  let early = head;
  // Without a reader, the end of the connection would not be noticed.
  const onData = (chunk: Buffer) => {
    early = Buffer.concat([early, chunk]);
    if (early.length > EARLY_BYTES_MAX) socket.pause();
  };
  const onEnd = () => void socket.destroy();
  socket.on('data', onData);
  socket.on('end', onEnd);

  const protocol = request.headers.upgrade ?? '';
  if (/(^|,)\s*h2c\s*(,|$)/i.test(protocol)) return { response, client: null };
  return {
    response,
    client: {
      protocol,
      socket,
      takeEarlyBytes() {
        socket.off('data', onData);
        socket.off('end', onEnd);
        return early;
      },
    },
  };
}
