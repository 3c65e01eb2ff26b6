import { createServer } from 'node:http';

const server = createServer((request, response) => {
  response.setHeader('Content-Type', 'application/json');
  response.end(`${JSON.stringify({ message: 'Hello', path: request.url })}\n`);
});

server.listen(Number(process.env['PORT'] ?? 8080), () => console.log('{{name}} listens'));

// An instance gets 10 seconds to finish what it has.
process.on('SIGTERM', () => server.close());
