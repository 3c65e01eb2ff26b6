import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

const page = await readFile(new URL('index.html', import.meta.url));

const server = createServer((request, response) => {
  const isPage = request.url === '/';
  response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' });
  response.end(isPage ? page : 'Not found');
});

const room = new WebSocketServer({ server, path: '/room', maxPayload: 4096 });

function say(message) {
  const text = JSON.stringify({ ...message, time: new Date().toISOString() });
  for (const client of room.clients) client.send(text);
}

room.on('connection', (client, request) => {
  const name = new URL(request.url, 'http://localhost').searchParams.get('name')?.slice(0, 40) || 'someone';
  say({ type: 'joined', name, people: room.clients.size });
  client.on('message', (data) => say({ type: 'said', name, text: data.toString() }));
  client.on('close', () => say({ type: 'left', name, people: room.clients.size }));
  client.on('error', (error) => console.error(`${name}: ${error.message}`));
});

server.listen(Number(process.env.PORT ?? 8080), '0.0.0.0', () => {
  console.log(`listening on port ${server.address().port}`);
});

process.on('SIGTERM', () => {
  // 1012, "service restart": a client that knows it connects again at once.
  for (const client of room.clients) client.close(1012, 'restarting');
  server.close(() => process.exit(0));
});
