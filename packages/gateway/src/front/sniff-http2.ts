import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** First 16 bytes of the HTTP/2 connection preface (RFC 9113 section 3.4). No HTTP/1 request begins with them. */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n');

/**
 * Routes every connection of an HTTP/1 server by its first bytes: connections that begin with the HTTP/2 preface go to `onHttp2`, all
 * others to the server itself. The bytes are put back and can be read again.
 *
 * @param timeoutMs idle time after which a connection that has sent nothing is closed.
 */
export function sniffHttp2(server: Server, timeoutMs: number, onHttp2: (socket: Socket) => void): void {
  const onHttp1 = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');

  server.on('connection', (socket: Socket) => {
    let begin: Buffer = Buffer.alloc(0);
    const decide = () => {
      const chunk = socket.read() as Buffer | null;
      if (chunk !== null) begin = begin.length === 0 ? chunk : Buffer.concat([begin, chunk]);
      const length = Math.min(begin.length, PREFACE.length);
      const isPreface = begin.compare(PREFACE, 0, length, 0, length) === 0;
      // No bytes, or only a prefix of the preface: undecided.
      if (isPreface && length < PREFACE.length) {
        if (socket.readableEnded || socket.destroyed) socket.destroy();
        else socket.once('readable', decide);
        return;
      }
      socket.setTimeout(0);
      socket.off('error', ignore);
      socket.off('timeout', destroy);
      socket.unshift(begin);
      if (isPreface) onHttp2(socket);
      else for (const listener of onHttp1) listener.call(server, socket);
    };
    const destroy = () => socket.destroy();
    socket.on('error', ignore);
    socket.on('timeout', destroy);
    socket.setTimeout(timeoutMs);
    socket.once('readable', decide);
  });
}

function ignore(): void {}
