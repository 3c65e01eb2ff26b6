import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { constants, createServer as createHttp2Server, type Http2Server } from 'node:http2';
import type { Server as NetServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import type { Refusal } from '../admission/refusal.ts';
import { sendRefusal } from '../proxy/client-response.ts';
import { hasBody, http2Stream } from '../proxy/request-body.ts';
import { createPlainFront, type ServiceRequests, type WholeRequests } from './create-plain-front.ts';
import { settleTarget } from './settle-target.ts';
import { sniffHttp2 } from './sniff-http2.ts';

/** The default limits on the size and speed of client requests. */
export const DEFAULT_FRONT_LIMITS = {
  /** Maximum size of a request head; a larger one is answered with 431. */
  headBytes: 64 * 1024,
  /** Maximum length of a request target; a longer one is answered with 414. */
  targetBytes: 16 * 1024,
  /** Time in which a head must arrive; after it the answer is 408. */
  headTimeoutMs: 30_000,
  /** Idle timeout of a connection. Above the 60 s of common load balancers. */
  keepAliveMs: 75_000,
  /** Maximum concurrent HTTP/2 streams of one connection. */
  streams: 250,
  /** Time that a client may go on sending its body after it was answered early. */
  lingerMs: 5_000,
};

/** Limits on the size and speed of client requests; see {@link DEFAULT_FRONT_LIMITS}. */
export type FrontLimits = { readonly [Name in keyof typeof DEFAULT_FRONT_LIMITS]: number };

/** Options of {@link createFrontServer}. */
export interface FrontServerOptions {
  /**
   * Handles every request, after `settleTarget` has settled its target. For a request with `Expect: 100-continue`, the handler sends
   * the `100`.
   */
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void;
  /** Handles every WebSocket upgrade. Other upgrades arrive as plain requests. */
  readonly onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Usual requests to services are served without Node's HTTP server. None by default. */
  readonly services?: ServiceRequests;
  /** Served without Node's HTTP server too, when they arrive whole. Otherwise they are requests like any other. None by default. */
  readonly whole?: WholeRequests;
  readonly limits?: Partial<FrontLimits>;
  /** Certificates and ALPN protocols. When present, all connections are TLS. */
  readonly tls?: TlsOptions;
}

/** An HTTP server, plain or TLS. */
export interface FrontServer {
  /** The server to call `listen` and `address` on. */
  readonly server: NetServer;
  /** Stops listening and ends every connection. */
  close(): Promise<void>;
}

/**
 * Creates the server in front of a gateway: HTTP/1.0, HTTP/1.1 and HTTP/2 (by prior knowledge or ALPN) on one port, with the same
 * limits with and without TLS. Node's strict parser answers invalid HTTP with 400; CONNECT is answered with 405. Node's timeout for
 * whole requests is off, because the gateway applies the service's request timeout. A client that half-closes its connection counts as
 * disconnected: the two cannot be told apart, and a waiting request must not outlive its client.
 */
export function createFrontServer(options: FrontServerOptions): FrontServer {
  const { onRequest, onUpgrade, services = NO_SERVICES, whole, limits: given, tls } = options;
  const limits = { ...DEFAULT_FRONT_LIMITS, ...given };
  /** Connections that close after their current answer. Bytes after that request are not read as another one. */
  const closing = new WeakSet<Duplex>();
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    if (closing.has(request.socket)) return;
    endEarlyAnswers(request, response, limits.lingerMs);
    const isFaulty = hasFaultyFraming(request);
    const refusal = isFaulty ? FAULTY_FRAMING : settleTarget(request);
    if (isFaulty) closing.add(request.socket);
    if (refusal !== undefined) sendRefusal(request, response, refusal, isFaulty);
    else if ((request.url?.length ?? 0) > limits.targetBytes) refuseLongTarget(request, response, limits.targetBytes);
    else onRequest(request, response);
  };

  const server = createServer({
    maxHeaderSize: limits.headBytes,
    headersTimeout: limits.headTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, limits.headTimeoutMs),
    requestTimeout: 0,
    keepAliveTimeout: limits.keepAliveMs,
    noDelay: true,
    shouldUpgradeCallback: (request) => request.headers.upgrade?.toLowerCase() === 'websocket',
  });
  server.on('request', handle);
  server.on('checkContinue', handle);
  server.on('upgrade', (request, socket, head) => {
    if (hasFaultyFraming(request) || settleTarget(request) !== undefined)
      socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    else onUpgrade(request, socket, head);
  });
  server.on('connect', refuseConnect);

  const http2 = createHttp2Server({ settings: { maxConcurrentStreams: limits.streams } });
  http2.on('request', (request, response) => {
    handle(request as unknown as IncomingMessage, response as unknown as ServerResponse);
  });
  http2.on('checkContinue', (request, response) => {
    handle(request as unknown as IncomingMessage, response as unknown as ServerResponse);
  });
  const plain =
    (options.services || whole) &&
    createPlainFront({
      whole: whole && {
        has: (method, url) => url.length <= limits.targetBytes && whole.has(method, url),
        serve: whole.serve,
      },
      ...{ keepAliveMs: limits.keepAliveMs, headTimeoutMs: limits.headTimeoutMs, headBytes: limits.headBytes },
      find: (host, url, isEncrypted) =>
        url.length <= limits.targetBytes ? services.find(host, url, isEncrypted) : undefined,
      serve(deployment, request, response) {
        endEarlyAnswers(request, response, limits.lingerMs);
        services.serve(deployment, request, response);
      },
      handOver: (socket) => serveHttp1(socket),
    });
  const serveHttp1 = sniffHttp2(server, limits.headTimeoutMs, {
    onHttp2: (socket) => (http2 as Http2Server).emit('connection', socket),
    ...(plain && { onHttp1: plain.serve }),
  });

  const front: NetServer = tls === undefined ? server : wrapInTls(server, tls, limits.headTimeoutMs);
  // Node tracks only connections that have begun a request. Browsers open connections ahead, which must not delay the close.
  const sockets = new Set<Socket>();
  front.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return {
    server: front,
    close() {
      plain?.close();
      const closed = new Promise<void>((resolve) => front.close(() => resolve()));
      if (front !== server) server.close();
      for (const socket of sockets) socket.destroy();
      return closed;
    },
  };
}

/**
 * Creates a TLS server that passes its decrypted connections to `http`, so that the same limits and refusals apply as without TLS.
 * (Node's own HTTP/2 server with `allowHTTP1` has none of the settings of its HTTP/1 server.)
 *
 * @param handshakeMs timeout of the TLS handshake.
 */
function wrapInTls(http: HttpServer, options: TlsOptions, handshakeMs: number): NetServer {
  const server = createTlsServer({ ...options, noDelay: true, handshakeTimeout: handshakeMs }, (socket) => {
    http.emit('connection', socket);
  });
  // On `listening`, Node's HTTP server starts its check for connections that are too slow.
  server.once('listening', () => http.emit('listening'));
  return server;
}

/**
 * Ends a request that is answered before its body is complete. The rest of the body is read and dropped for up to `lingerMs`, so that
 * the client sees the answer; then the stream or connection is closed. Applies to every handler's answers.
 */
function endEarlyAnswers(request: IncomingMessage, response: ServerResponse, lingerMs: number): void {
  if (!hasBody(request)) return;
  response.once('finish', () => {
    if (request.complete) return;
    request.resume();
    const timer = setTimeout(() => {
      if (request.complete) return;
      // RFC 9113 section 8.1: a server that has answered may end a stream without an error.
      if (request.httpVersionMajor === 2) http2Stream(request)?.close(constants.NGHTTP2_NO_ERROR);
      else request.socket.destroy();
    }, lingerMs);
    request.once('end', () => clearTimeout(timer));
    request.once('close', () => clearTimeout(timer));
  });
}

/**
 * Returns true for an HTTP/1.0 request with `Transfer-Encoding`. Its framing is faulty, and the connection must close (RFC 9112
 * section 6.1).
 */
function hasFaultyFraming({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.0' && headers['transfer-encoding'] !== undefined;
}

const NO_SERVICES: ServiceRequests = { find: () => undefined, serve() {} };

const FAULTY_FRAMING: Refusal = {
  status: 400,
  reason: 'faulty_framing',
  message: 'HTTP/1.0 has no Transfer-Encoding. Send Content-Length, or HTTP/1.1.',
};

function refuseLongTarget(request: IncomingMessage, response: ServerResponse, maxBytes: number): void {
  const message = `The request target has more than ${maxBytes} characters.`;
  sendRefusal(request, response, { status: 414, reason: 'target_too_long', message });
}

function refuseConnect(_request: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => {});
  socket.end('HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
}
