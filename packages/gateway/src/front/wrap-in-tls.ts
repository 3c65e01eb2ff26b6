import type { Server as HttpServer } from 'node:http';
import type { Server as NetServer, Socket } from 'node:net';
import { createServer, type TlsOptions } from 'node:tls';

/** A TLS listener before an HTTP server. */
export interface TlsFront {
  readonly server: NetServer;
  /** Stops listening and ends every connection. */
  close(): Promise<void>;
}

/**
 * Takes TLS connections and hands what is in them to `http`, as if they were its own: what it bounds and refuses in the clear it does here
 * too. (Node's own HTTP/2 server with `allowHTTP1` has none of the settings of its HTTP/1 server.)
 *
 * @param handshakeMs a handshake that takes longer is ended.
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
  // What it does when it begins to listen: look for connections that are too slow.
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
