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

/** Bounds of what clients may send and how slowly. */
export interface FrontLimits {
  /** A larger head is 431. */
  readonly headBytes: number;
  /** A longer request target is 414. */
  readonly targetBytes: number;
  /** A head that takes longer is 408. */
  readonly headTimeoutMs: number;
  /** A connection without a request is kept this long. Above the 60 s of common load balancers. */
  readonly keepAliveMs: number;
  /** HTTP/2 streams of one connection at once. */
  readonly streams: number;
  /** A client that was answered before its body was in may go on sending it for this long. */
  readonly lingerMs: number;
}

export const DEFAULT_FRONT_LIMITS: FrontLimits = {
  headBytes: 64 * 1024,
  targetBytes: 16 * 1024,
  headTimeoutMs: 30_000,
  keepAliveMs: 75_000,
  streams: 250,
  lingerMs: 5_000,
};

/** Who takes what comes in. */
export interface FrontServerOptions {
  /**
   * Every request, with its target settled by `settleTarget`; the ones with `Expect: 100-continue` too: `100` is the handler's to
   * send.
   */
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void;
  /** Every WebSocket upgrade. Other upgrades come as plain requests. */
  readonly onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  readonly limits?: Partial<FrontLimits>;
  /** Certificates, and which protocols they go with: the connections are TLS then. */
  readonly tls?: TlsOptions;
}

/** A listener for connections, plain or TLS. */
export interface FrontServer {
  /** To `listen` on, and for its `address`. */
  readonly server: NetServer;
  /** Stops listening and ends every connection. */
  close(): Promise<void>;
}

/**
 * The server in front of a gateway: HTTP/1.1, HTTP/1.0 and HTTP/2, by prior knowledge or by ALPN, on one port, with the same limits in the clear and in TLS. What is not strictly HTTP is refused by Node's parser
 * with 400; CONNECT with 405. Node's own time limits for whole requests are off: the gateway has the service's. A client that closes its side
 * counts as gone, for nothing tells it from one that is: a waiting request must not outlive its client.
 */
export function createFrontServer({ onRequest, onUpgrade, limits: given, tls }: FrontServerOptions): FrontServer {
  const limits = { ...DEFAULT_FRONT_LIMITS, ...given };
  /** Connections that close with an answer that was given: what came behind its request is nobody's. */
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
  // Node knows of those that have begun a request; browsers open others ahead, and they are not to hold up the end.
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
 * A message of HTTP/1.0 knows no `Transfer-Encoding`: its framing is taken as faulty, and the connection closes (RFC 9112 section 6.1).
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
