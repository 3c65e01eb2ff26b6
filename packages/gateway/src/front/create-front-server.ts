import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttp2Server, type Http2Server } from 'node:http2';
import type { Server as NetServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TlsOptions } from 'node:tls';
import type { Refusal } from '../admission/refusal.ts';
import { ClientResponse } from '../proxy/client-response.ts';
import { endEarlyAnswers } from './end-early-answers.ts';
import { settleTarget } from './settle-target.ts';
import { sniffHttp2 } from './sniff-http2.ts';
import { type TlsFront, wrapInTls } from './wrap-in-tls.ts';

/** Limits on the size and speed of client requests. */
export interface FrontLimits {
  /** Maximum size of a request head; a larger one is answered with 431. */
  readonly headBytes: number;
  /** Maximum length of a request target; a longer one is answered with 414. */
  readonly targetBytes: number;
  /** Time in which a head must arrive; after it the answer is 408. */
  readonly headTimeoutMs: number;
  /** Idle timeout of a connection. Above the 60 s of common load balancers. */
  readonly keepAliveMs: number;
  /** Maximum concurrent HTTP/2 streams of one connection. */
  readonly streams: number;
  /** Time that a client may go on sending its body after it was answered early. */
  readonly lingerMs: number;
}

/** The default limits. */
export const DEFAULT_FRONT_LIMITS: FrontLimits = {
  headBytes: 64 * 1024,
  targetBytes: 16 * 1024,
  headTimeoutMs: 30_000,
  keepAliveMs: 75_000,
  streams: 250,
  lingerMs: 5_000,
};

/** Options of {@link createFrontServer}. */
export interface FrontServerOptions {
  /**
   * Handles every request, after `settleTarget` has settled its target. For a request with `Expect: 100-continue`, the handler sends
   * the `100`.
   */
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void;
  /** Handles every WebSocket upgrade. Other upgrades arrive as plain requests. */
  readonly onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
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
export function createFrontServer({ onRequest, onUpgrade, limits: given, tls }: FrontServerOptions): FrontServer {
  const limits = { ...DEFAULT_FRONT_LIMITS, ...given };
  /** Connections that close after their current answer. Bytes after that request are not read as another one. */
  const closing = new WeakSet<Duplex>();
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    if (closing.has(request.socket)) return;
    endEarlyAnswers(request, response, limits.lingerMs);
    const isFaulty = hasFaultyFraming(request);
    const refusal = isFaulty ? FAULTY_FRAMING : settleTarget(request);
    if (isFaulty) closing.add(request.socket);
    if (refusal !== undefined) new ClientResponse(request, response, () => {}, null).answer(refusal, isFaulty);
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
  sniffHttp2(server, limits.headTimeoutMs, (socket) => (http2 as Http2Server).emit('connection', socket));

  const secure: TlsFront | undefined = tls && wrapInTls(server, tls, limits.headTimeoutMs);
  if (secure) return secure;
  // Node tracks only connections that have begun a request. Browsers open connections ahead, which must not delay the close.
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return {
    server,
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      return closed;
    },
  };
}

/**
 * Returns true for an HTTP/1.0 request with `Transfer-Encoding`. Its framing is faulty, and the connection must close (RFC 9112
 * section 6.1).
 */
function hasFaultyFraming({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.0' && headers['transfer-encoding'] !== undefined;
}

const FAULTY_FRAMING: Refusal = {
  status: 400,
  reason: 'faulty_framing',
  message: 'HTTP/1.0 has no Transfer-Encoding. Send Content-Length, or HTTP/1.1.',
};

function refuseLongTarget(request: IncomingMessage, response: ServerResponse, maxBytes: number): void {
  new ClientResponse(request, response, () => {}, null).answer({
    status: 414,
    reason: 'target_too_long',
    message: `The request target has more than ${maxBytes} characters.`,
  });
}

function refuseConnect(_request: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => {});
  socket.end('HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
}
