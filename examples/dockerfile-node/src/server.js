import { createServer } from 'node:http';
import { userInfo } from 'node:os';

const server = createServer((request, response) => {
  if (request.url !== '/') {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('Nothing here.\n');
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    `${JSON.stringify({ message: 'Hello from a Dockerfile', commit: '__COMMIT__', user: userInfo().username })}\n`,
  );
});

server.listen(process.env.PORT ?? 8080, '0.0.0.0');
process.on('SIGTERM', () => server.close(() => process.exit()));
