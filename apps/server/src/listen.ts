import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { createError } from '@berth/contract';

/** What the listener does with what comes in. */
export interface ConnectionHandlers {
  onRequest(request: IncomingMessage, response: ServerResponse): void;
  /** `Expect: 100-continue`: the client waits for leave to send its body. */
  onExpectContinue(request: IncomingMessage, response: ServerResponse): void;
  onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export interface ListenOptions {
  /** `localhost` stands for both loopback addresses, else one address. */
  readonly host: string;
  /** 0: the system picks one, the same for all addresses. */
  readonly port: number;
}

export interface Listener {
  readonly port: number;
  /** Stops accepting at once; open connections get `graceMs`, then are cut. Idempotent. */
  close(graceMs: number): Promise<void>;
}

/** Headers must be in within this: a slow client holds a socket, never more (answered 408). */
const HEADERS_TIMEOUT_MS = 20_000;
/** Longer than the 60 s of common proxies in front, so that they close first and no request meets a closing socket. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
const MAX_HEADER_BYTES = 32 * 1024;

/**
 * Opens the public port. HTTP/1.1; bodies have no time limit here (uploads are long), the parts that read them do.
 * @throws BerthError `conflict` when the port is taken or may not be used.
 */
export async function listen({ host, port }: ListenOptions, handlers: ConnectionHandlers): Promise<Listener> {
  const hosts = host === 'localhost' ? ['127.0.0.1', '::1'] : [host];
  const servers: Server[] = [];
  let boundPort = port;
  for (const [index, address] of hosts.entries()) {
    const server = createHttpServer(handlers);
    try {
      await bind(server, address, boundPort);
    } catch (cause) {
      const code = (cause as NodeJS.ErrnoException).code;
      // A machine without IPv6 still has the other loopback address.
      if (index > 0 && (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT')) continue;
      for (const one of servers) one.close();
      throw createError('conflict', listenProblem(code, address, boundPort), { cause });
    }
    servers.push(server);
    boundPort = (server.address() as AddressInfo).port;
  }
  return { port: boundPort, close: (graceMs) => closeServers(servers, graceMs) };
}

function createHttpServer(handlers: ConnectionHandlers): Server {
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: 5_000,
    maxHeaderSize: MAX_HEADER_BYTES,
    requireHostHeader: true,
    noDelay: true,
  });
  server.on('request', handlers.onRequest);
  server.on('checkContinue', handlers.onExpectContinue);
  server.on('upgrade', handlers.onUpgrade);
  server.on('connect', (_request, socket) => refuse(socket, '405 Method Not Allowed'));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
    refuse(socket, CLIENT_ERRORS[error.code ?? ''] ?? '400 Bad Request');
  });
  return server;
}

const CLIENT_ERRORS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Answers on a socket that has no response object, and ends it. */
export function refuse(socket: Duplex, status: string): void {
  const body = `${status}\n`;
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: 1024 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function listenProblem(code: string | undefined, host: string, port: number): string {
  if (code === 'EADDRINUSE') return `Port ${port} of ${host} is taken by another program. Choose another with --port.`;
  if (code === 'EACCES') return `This user may not listen on port ${port}. Choose one from 1024 up with --port.`;
  if (code === 'EADDRNOTAVAIL') return `${host} is not an address of this machine. Choose another with --host.`;
  return `Could not listen on ${host} port ${port} (${code ?? 'unknown error'}).`;
}

async function closeServers(servers: readonly Server[], graceMs: number): Promise<void> {
  const timer = setTimeout(() => {
    for (const server of servers) server.closeAllConnections();
  }, graceMs);
  await Promise.all(
    servers.map(
      (server) =>
        new Promise<void>((resolve) => {
          server.close(() => resolve());
          server.closeIdleConnections();
        }),
    ),
  );
  clearTimeout(timer);
}
