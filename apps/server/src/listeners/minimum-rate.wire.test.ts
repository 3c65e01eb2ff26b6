import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createFrontServer } from '@berth/gateway';
import { waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import type { RequestHandler } from './front-door.ts';
import { withMinimumRate } from './minimum-rate.ts';

/** A front whose handler reads the body, and answers how long it was. */
async function openFront(read: RequestHandler) {
  const front = createFrontServer({
    onRequest: withMinimumRate(read, { bytes: 1_000, windowMs: 100 }),
    onUpgrade: (_request, socket) => void socket.destroy(),
  });
  front.server.listen(0, '127.0.0.1');
  await once(front.server, 'listening');
  return { port: (front.server.address() as AddressInfo).port, [Symbol.asyncDispose]: () => front.close() };
}

const countBytes: RequestHandler = (request, response) => {
  buffer(request).then(
    ({ length }) => response.end(String(length)),
    () => response.destroy(),
  );
};

/** Sends a body in pieces, one each 10 ms, until the connection closes; what was answered. */
async function send(port: number, piece: string, count: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
  });
  const length = piece.length * count;
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`);
  let sent = 0;
  const timer = setInterval(() => {
    if (sent++ < count) socket.write(piece);
  }, 10);
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(timer);
  return answer;
}

test('a body that drips is 408 and the connection closes; one that flows is read for as long as it takes', async () => {
  // Fails without the watch: a client held a request to the API for ever with a byte now and then.
  await using front = await openFront(countBytes);
  const dripped = await send(front.port, 'x', 100_000);
  expect(dripped).toMatch(/^HTTP\/1\.1 408 /);
  expect(dripped).toContain(
    '{"detail":"The request body arrived too slowly: less than 1000 bytes in 0.1 s. Send it again."}',
  );
  expect(await send(front.port, 'x'.repeat(2_000), 40)).toMatch(/^HTTP\/1\.1 200 [\s\S]*80000$/);
});

test('over HTTP/2 the stream ends, too', async () => {
  await using front = await openFront(countBytes);
  const session = connectHttp2(`http://127.0.0.1:${front.port}`);
  const stream = session.request({ ':method': 'POST' });
  stream.on('error', () => {});
  stream.write('x');
  const [headers] = await once(stream, 'response');
  expect(headers[':status']).toBe(408);
  stream.resume();
  await waitUntil('the stream is closed', () => stream.closed);
  session.destroy();
});
