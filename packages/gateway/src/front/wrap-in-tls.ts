import type { Server as HttpServer } from 'node:http';
import type { Server as NetServer, Socket } from 'node:net';
import { createServer, type TlsOptions } from 'node:tls';

/** A TLS listener in front of an HTTP server. */
export interface TlsFront {
  readonly server: NetServer;
  /** Stops listening and ends every connection. */
  close(): Promise<void>;
}

/**
 * Creates a TLS server that passes its decrypted connections to `http`, so that the same limits and refusals apply as without TLS.
 * (Node's own HTTP/2 server with `allowHTTP1` has none of the settings of its HTTP/1 server.)
 *
 * @param handshakeMs timeout of the TLS handshake.
 */
export function wrapInTls(http: HttpServer, options: TlsOptions, handshakeMs: number): TlsFront {
  const sockets = new Set<Socket>();
  const server = createServer({ ...options, noDelay: true, handshakeTimeout: handshakeMs }, (socket) => {
    http.emit('connection', socket);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  // On `listening`, Node's HTTP server starts its check for connections that are too slow.
  server.once('listening', () => http.emit('listening'));
  return {
    server,
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      http.close();
      for (const socket of sockets) socket.destroy();
      return closed;
    },
  };
}
