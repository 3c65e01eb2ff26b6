import { createServer } from 'node:http';
import { renderPage } from './page.js';

const startedAt = new Date();
let requests = 0;

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost');
  if (pathname !== '/') {
    response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(`Nothing at ${pathname}. Try /\n`);
    return;
  }
  requests++;
  const about = {
    message: 'Hello from Berth',
    name: process.env.K_SERVICE ?? 'hello-node',
    revision: process.env.K_REVISION ?? 'local',
    started_at: startedAt.toISOString(),
    requests,
    node: process.version,
  };
  // Browsers ask for HTML; curl and other programs get the same facts as JSON.
  const isBrowser = request.headers.accept?.includes('text/html');
  const type = isBrowser ? 'text/html' : 'application/json';
  response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, vary: 'accept', 'cache-control': 'no-store' });
  response.end(isBrowser ? renderPage(about) : `${JSON.stringify(about, null, 2)}\n`);
});

server.listen(Number(process.env.PORT ?? 8080), '0.0.0.0', () => {
  console.log(`listening on port ${server.address().port}`);
});

process.on('SIGTERM', () => {
  console.log('SIGTERM: finishing open requests');
  server.close(() => process.exit(0));
});
