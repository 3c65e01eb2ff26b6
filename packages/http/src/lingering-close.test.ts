import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createFakeClock, waitUntil } from '@berth/testkit';
import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { lingeringClose } from './lingering-close.ts';

/** A server that refuses every upload without reading it, and answers GET. */
async function serve() {
  const fake = createFakeClock();
  let timers = 0;
  const clock = {
    ...fake,
    setTimer(delayMs: number, callback: () => void) {
      timers++;
      return fake.setTimer(delayMs, callback);
    },
  };
  const app = new Hono();
  app.use('*', lingeringClose({ clock }));
  app.post('/refused', (c) => c.json({ detail: 'no' }, 401, { 'X-Kept': 'yes' }));
  app.post('/taken', (c) => c.text('yes'));
  app.get('/refused', (c) => c.text('no', 401));
  const server = createServer(async (incoming, outgoing) => {
    const request = new Request(`http://x${incoming.url}`, { method: incoming.method ?? 'GET' });
    const response = await app.fetch(request, { incoming });
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    for await (const chunk of response.body ?? []) outgoing.write(chunk);
    outgoing.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets: Socket[] = [];
  return {
    clock: fake,
    /** Number of timers that were set so far. */
    timers: () => timers,
    open() {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      socket.on('error', () => {});
      sockets.push(socket);
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
      });
      return { socket, text: () => text };
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const LARGE = 1_000_000;
const head = (path: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: a/b\r\nContent-Length: ${length}\r\n\r\n`;

// Fails when the answer waits for the upload, or the socket closes with unread bytes: the client then gets a reset in
// place of the reason.
test('a refusal is told whole while the client still sends, and the connection closes when it has sent', async () => {
  await using server = await serve();
  const { socket, text } = server.open();
  socket.write(head('/refused', LARGE));
  await waitUntil('the refusal came', () => text().includes('{"detail":"no"}'));
  expect(text()).toMatch(/^HTTP\/1\.1 401 /);
  expect(text().toLowerCase()).toContain('connection: close');
  expect(text().toLowerCase()).toContain('content-length: 15');
  expect(text().toLowerCase()).toContain('x-kept: yes');
  expect(socket.readableEnded).toBe(false);
  socket.write(Buffer.alloc(LARGE));
  await once(socket, 'end');
  await waitUntil('the timers are gone', () => server.clock.pending === 0);
});

// Fails when the time without a byte isn't bounded: a refused client could hold its connection for ever.
test('a client that stops sending is waited for 5 seconds', async () => {
  await using server = await serve();
  const { socket, text } = server.open();
  socket.write(head('/refused', LARGE));
  await waitUntil('the refusal came', () => text().includes('{"detail":"no"}'));
  await waitUntil('the timers run', () => server.clock.pending === 2);
  server.clock.advance(4_999);
  expect(server.clock.pending).toBe(2);
  server.clock.advance(1);
  await once(socket, 'end');
  expect(server.clock.pending).toBe(0);
});

// Fails when each byte buys another 5 seconds without an end.
test('a client that sends on and on is cut off after 30 seconds', async () => {
  await using server = await serve();
  const { socket, text } = server.open();
  const ended = once(socket, 'end');
  socket.write(head('/refused', LARGE));
  await waitUntil('the refusal came', () => text().includes('{"detail":"no"}'));
  let seconds = 0;
  while (server.clock.pending > 0 && seconds < 60) {
    const before = server.timers();
    socket.write('x');
    await waitUntil('the byte has set the timer of silence anew', () => server.timers() > before);
    server.clock.advance(1_000);
    seconds++;
  }
  expect(seconds).toBe(30);
  await ended;
});

test.each([
  ['an upload that was taken', head('/taken', 5), 'hello'],
  ['a small body that was refused', head('/refused', 5), 'hello'],
  ['a request without a body', 'GET /refused HTTP/1.1\r\nHost: x\r\n\r\n', ''],
])('the connection stays open after %s', async (_what, request, body) => {
  await using server = await serve();
  const { socket, text } = server.open();
  for (const round of [1, 2]) {
    socket.write(request + body);
    await waitUntil('the answer came', () => text().split('HTTP/1.1').length === round + 1);
  }
  expect(text().toLowerCase()).not.toContain('connection: close');
  expect(server.clock.pending).toBe(0);
});
