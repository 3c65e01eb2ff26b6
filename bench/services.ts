import { nodeProject, type ProjectFiles } from '../tests/harness/project-files.ts';

/** Sizes of what {@link mixedService} and its clients send each other, in bytes. */
export const MIXED = { socketMessage: 64, event: 64 } as const;

/**
 * Answers `GET /` with 13 bytes, and does as little for it as Node allows. Everything else goes to Node's HTTP server: `/bytes?n=` sends n
 * bytes, a request with a body is read to its end, `/events` sends an event every 5 ms to each client, and a WebSocket echoes messages.
 */
export function mixedService(): ProjectFiles {
  return nodeProject(`
    import { createHash } from 'node:crypto';
    import { createServer as createHttpServer } from 'node:http';
    import { createServer } from 'node:net';
    const ANSWER = 'HTTP/1.1 200 OK\\r\\nContent-Type: text/plain\\r\\nContent-Length: 13\\r\\n\\r\\nHello, world!';
    const bodies = new Map();
    const bytes = (n) => bodies.get(n) ?? bodies.set(n, Buffer.alloc(n, 'x')).get(n);
    const streams = new Set();
    const EVENT = 'data: ' + '~'.padEnd(${MIXED.event - 8}, 'x') + '\\n\\n';
    setInterval(() => {
      for (const stream of streams) if (!stream.writableNeedDrain) stream.write(EVENT);
    }, 5);
    const http = createHttpServer({ keepAliveTimeout: 600_000, noDelay: true }, (request, response) => {
      const url = new URL(request.url, 'http://service');
      if (url.pathname === '/events') {
        response.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
        response.flushHeaders();
        streams.add(response);
        response.on('close', () => streams.delete(response));
      } else if (url.pathname === '/bytes') {
        const body = bytes(Number(url.searchParams.get('n')));
        response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': body.length });
        response.end(body);
      } else request.resume().on('end', () => response.end('Hello, world!'));
    });
    http.on('upgrade', (request, socket) => {
      const accept = createHash('sha1').update(request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
      socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\nSec-WebSocket-Accept: ' + accept + '\\r\\n\\r\\n');
      const frame = Buffer.concat([Buffer.from([0x81, ${MIXED.socketMessage}]), bytes(${MIXED.socketMessage})]);
      let pending = 0;
      socket.on('error', () => {});
      socket.on('data', (chunk) => {
        for (pending += chunk.length; pending >= frame.length + 4; pending -= frame.length + 4) socket.write(frame);
      });
    });
    createServer({ noDelay: true }, (socket) => {
      let held = '';
      const onData = (chunk) => {
        const text = held + chunk.toString('latin1');
        if (!text.startsWith('GET / HTTP')) {
          socket.off('data', onData);
          socket.unshift(Buffer.from(text, 'latin1'));
          http.emit('connection', socket);
          return;
        }
        const parts = text.split('\\r\\n\\r\\n');
        held = parts.pop();
        if (parts.length > 0) socket.write(ANSWER.repeat(parts.length));
      };
      socket.on('error', () => {});
      socket.on('data', onData);
    }).listen(process.env.PORT, '0.0.0.0');
  `);
}

/** Answers each request after 100 ms, many at once. */
export function slowService(): ProjectFiles {
  return nodeProject(`
    import { createServer } from 'node:http';
    const server = createServer((request, response) => setTimeout(() => response.end('slept'), 100));
    server.keepAliveTimeout = 60_000;
    server.listen(process.env.PORT, '0.0.0.0');
  `);
}
