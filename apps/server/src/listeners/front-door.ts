import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FrontServerOptions, Gateway } from '@berth/gateway';
import { hostName, type ServiceAddresses } from '../addresses/service-address.ts';
import type { ServeConsole } from '../console/serve-console.ts';
import type { HttpsRedirect } from './https-redirect.ts';
import { withMinimumRate } from './minimum-rate.ts';
import { answerPage, answerRedirect, answerText, redirectUpgrade, refuseUpgrade } from './plain-answers.ts';

/** The handlers behind the public ports. */
export interface FrontDoorParts {
  readonly addresses: ServiceAddresses;
  readonly gateway: Pick<Gateway, 'handleRequest' | 'handleUpgrade'>;
  /** The control plane's API, here or in another process. */
  readonly serveApi: RequestHandler;
  /** Takes `upgrade` events for the API; they are refused when absent. */
  readonly upgradeApi?: ((request: IncomingMessage, socket: Duplex, head: Buffer) => void) | undefined;
  /** Serves signed URLs for clients that reach only the public ports. */
  readonly serveStorage: RequestHandler;
  /**
   * Finds the body for a GET of `pathname` on `host` that takes precedence over everything else: proofs for certificate authorities
   * and for custom domains.
   */
  findProof(host: string, pathname: string): Promise<string | undefined>;
  /** HTML of the platform's own address when the console isn't built. */
  readonly landingPage: string;
  /** The web console, if it is built. */
  readonly serveConsole?: ServeConsole | undefined;
  /** Consulted for every request except proofs. Nothing is redirected while it is undefined, as it is until certificates are open. */
  readonly httpsRedirect?: HttpsRedirect | undefined;
}

/** Routes each request of a public port to the API or to a service by its host. */
export interface FrontDoor extends FrontServerOptions {
  /** Starts to serve. Until then every request is answered 503 with `Retry-After`. */
  open(parts: FrontDoorParts): void;
}

/** Handles a request of Node's HTTP server. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Path prefix of proofs. Source: RFC 8615. */
const WELL_KNOWN = '/.well-known/';

/** Creates a {@link FrontDoor}. */
export function createFrontDoor(): FrontDoor {
  let parts: FrontDoorParts | undefined;
  let handle: RequestHandler = (_request, response) => {
    response.setHeader('Retry-After', '1');
    answerText(response, 503, 'Berth is starting. Try again in a moment.');
  };
  return {
    open(opened) {
      parts = opened;
      handle = createHandler(opened);
    },
    onRequest: (request, response) => handle(request, response),
    services: {
      find(host, url, isEncrypted) {
        const mayRedirect = parts?.httpsRedirect !== undefined && !isEncrypted;
        if (parts === undefined || mayRedirect || url.startsWith(WELL_KNOWN)) return undefined;
        const route = parts.addresses.route(host);
        return route.kind === 'service' ? route.name : undefined;
      },
      serve: (deployment, request, response) => parts?.gateway.handleRequest(deployment, request, response),
    },
    onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
      if (parts === undefined) {
        refuseUpgrade(socket, '503 Service Unavailable');
        return;
      }
      const route = parts.addresses.route(request.headers.host);
      const location = parts.httpsRedirect?.(request, request.headers.host);
      if (location !== undefined) redirectUpgrade(socket, location);
      else if (route.kind === 'service') parts.gateway.handleUpgrade(route.name, request, socket, head);
      else if (route.kind === 'api' && parts.upgradeApi) parts.upgradeApi(request, socket, head);
      else refuseUpgrade(socket, route.kind === 'unknown' ? '404 Not Found' : '400 Bad Request');
    },
  };
}

function createHandler(parts: FrontDoorParts): RequestHandler {
  const { addresses, gateway, findProof, landingPage, serveConsole } = parts;
  const serveApi = withMinimumRate(parts.serveApi);
  const serveStorage = withMinimumRate(parts.serveStorage);
  const dispatch: RequestHandler = (request, response) => {
    const { host } = request.headers;
    const location = parts.httpsRedirect?.(request, host);
    if (location !== undefined) {
      answerRedirect(response, location);
      return;
    }
    const route = addresses.route(host);
    if (route.kind === 'service') gateway.handleRequest(route.name, request, response);
    else if (route.kind === 'unknown')
      answerText(response, 404, `No service at ${(host ?? 'this address').slice(0, 200)}.`);
    else if (route.kind === 'storage') serveStorage(request, response);
    else if (serveConsole?.(request, response)) return;
    else if (request.url === '/' && isRead(request)) answerPage(response, landingPage);
    else serveApi(request, response);
  };

  const answerProof = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const proof = await findProof(hostName(request.headers.host) ?? '', request.url ?? '').catch(() => undefined);
    if (proof === undefined) dispatch(request, response);
    else answerText(response, 200, proof);
  };

  return (request, response) => {
    if (request.method === 'GET' && request.url?.startsWith(WELL_KNOWN)) void answerProof(request, response);
    else dispatch(request, response);
  };
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}
