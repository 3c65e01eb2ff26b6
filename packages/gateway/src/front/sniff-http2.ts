import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** First 16 bytes of the HTTP/2 connection preface (RFC 9113 section 3.4). No HTTP/1 request begins with them. */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n');

/** Where connections go. Without `onHttp1`, those without the HTTP/2 preface go to the server itself. */
export interface Branches {
  onHttp2(socket: Socket): void;
  onHttp1?(socket: Socket): void;
}

/**
 * Routes every connection of an HTTP/1 server by its first bytes: connections that begin with the HTTP/2 preface go to `onHttp2`. The bytes are put
 * back and can be read again.
 *
 * @param timeoutMs idle time after which a connection that has sent nothing is closed.
 * @returns what the server does with a connection
 */
export function sniffHttp2(
  server: Server,
  timeoutMs: number,
  { onHttp2, onHttp1 }: Branches,
): (socket: Socket) => void {
  const listeners = server.listeners('connection') as ((socket: Socket) => void)[];
  const serve = (socket: Socket) => {
    for (const listener of listeners) listener.call(server, socket);
  };
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
      else (onHttp1 ?? serve)(socket);
    };
    const destroy = () => socket.destroy();
    socket.on('error', ignore);
    socket.on('timeout', destroy);
    socket.setTimeout(timeoutMs);
    socket.once('readable', decide);
  });
  return serve;
}

function ignore(): void {}
