import { nodeProject, type ProjectFiles } from '../tests/harness/project-files.ts';

/** Answers each request with 13 bytes, and does as little for it as Node allows: what proxies it is the bottleneck. */
export function plainService(): ProjectFiles {
  return nodeProject(`
    import { createServer } from 'node:net';
    const ANSWER = 'HTTP/1.1 200 OK\\r\\nContent-Type: text/plain\\r\\nContent-Length: 13\\r\\n\\r\\nHello, world!';
    createServer({ noDelay: true }, (socket) => {
      let held = '';
      socket.setEncoding('latin1');
      socket.on('error', () => {});
      socket.on('data', (chunk) => {
        const parts = (held + chunk).split('\\r\\n\\r\\n');
        held = parts.pop();
        if (parts.length > 0) socket.write(ANSWER.repeat(parts.length));
      });
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
