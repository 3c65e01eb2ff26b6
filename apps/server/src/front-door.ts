import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FrontServerOptions, Gateway } from '@berth/gateway';
import { getRequestListener } from '@hono/node-server';
import type { ServiceAddresses } from './service-address.ts';

/** What stands behind the public port once the platform is composed. */
export interface FrontDoorParts {
  readonly addresses: ServiceAddresses;
  readonly gateway: Gateway;
  /** The control plane's API. */
  fetchApi(request: Request, bindings: object): Response | Promise<Response>;
  /** HTML of the platform's own address. */
  readonly landingPage: string;
}

/** Sends each request of the public port to the API or to a service, by its host. */
export interface FrontDoor extends FrontServerOptions {
  /** Until this call every request is answered 503 with `Retry-After`. */
  open(parts: FrontDoorParts): void;
}

export function createFrontDoor(): FrontDoor {
  let parts: FrontDoorParts | undefined;
  let serveApi: ((request: IncomingMessage, response: ServerResponse) => unknown) | undefined;

  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    if (!parts || !serveApi) {
      response.setHeader('Retry-After', '1');
      answer(response, 503, 'Berth is starting; try again in a moment.');
      return;
    }
    const route = parts.addresses.route(request.headers.host);
    if (route.kind === 'service') parts.gateway.handleRequest(route.name, request, response);
    else if (route.kind === 'unknown') answer(response, 404, `Nothing is served at ${hostOf(request)}.`);
    else if (request.url === '/' && (request.method === 'GET' || request.method === 'HEAD')) {
      answerPage(response, parts.landingPage);
    } else {
      // A service's instance may not be there yet, so the gateway gives leave to send a body itself.
      if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
      serveApi(request, response);
    }
  };

  return {
    open(opened) {
      serveApi = getRequestListener(opened.fetchApi, { overrideGlobalObjects: false });
      parts = opened;
    },
    onRequest,
    onUpgrade(request, socket, head) {
      const route = parts?.addresses.route(request.headers.host);
      if (parts && route?.kind === 'service') parts.gateway.handleUpgrade(route.name, request, socket, head);
      else refuseUpgrade(socket, route?.kind === 'api' ? '400 Bad Request' : '404 Not Found');
    },
  };
}

function hostOf(request: IncomingMessage): string {
  return (request.headers.host ?? 'this address').slice(0, 200);
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
}

function answerPage(response: ServerResponse, html: string): void {
  response
    .writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
      'X-Content-Type-Options': 'nosniff',
    })
    .end(html);
}

/** Answers on a socket that has no response object, and ends it. */
function refuseUpgrade(socket: Duplex, status: string): void {
  const body = `${status}\n`;
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}
