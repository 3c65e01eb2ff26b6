import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { TEST_CERTIFICATE } from '@berth/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFrontServer } from './create-front-server.ts';

const upgrades: string[] = [];
const front = createFrontServer({
  onRequest: (request: IncomingMessage, response) => {
    const isEncrypted = (request.socket as { readonly encrypted?: boolean }).encrypted;
    response.end(`${request.httpVersion} ${request.url} ${isEncrypted}`);
  },
  onUpgrade: (request, socket) => {
    upgrades.push(request.headers.upgrade ?? '');
    socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n');
  },
  limits: { headTimeoutMs: 400, headBytes: 8_192, targetBytes: 1_000 },
  tls: { ...TEST_CERTIFICATE, ALPNProtocols: ['h2', 'http/1.1'] },
});
let port = 0;

beforeAll(async () => {
  front.server.listen(0, '127.0.0.1');
  await once(front.server, 'listening');
  port = (front.server.address() as AddressInfo).port;
});
afterAll(() => front.close());

const open = () => connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });

async function exchange(wire: string): Promise<string> {
  const socket = open();
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => {});
  socket.write(wire);
  await once(socket, 'close');
  return answer;
}

test('HTTP/1.1 and, by ALPN, HTTP/2 are served, and both know that they are encrypted', async () => {
  const answer = await exchange('GET /a HTTP/1.1\r\nHost: hello.test\r\nConnection: close\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*1\.1 \/a true$/);
  const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  const stream = session.request({ ':path': '/b', ':authority': 'hello.test' });
  expect(await text(stream)).toBe('2.0 /b true');
  session.close();
  await once(session, 'close');
});

test.each([
  ['a long target', `GET /${'a'.repeat(1_000)} HTTP/1.1\r\nHost: hello.test\r\nConnection: close\r\n\r\n`, 414],
  ['a large head', `GET / HTTP/1.1\r\nHost: hello.test\r\nX: ${'a'.repeat(9_000)}\r\n\r\n`, 431],
  ['a slow head', 'GET / HTTP/1.1\r\nHost: hello.te', 408],
  ['two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close\r\n\r\n', 400],
  ['CONNECT', 'CONNECT hello.test:443 HTTP/1.1\r\nHost: hello.test\r\n\r\n', 405],
])('what is refused in the clear is refused in TLS: %s', async (_name, wire, status) => {
  expect(await exchange(wire)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
});

test('only WebSockets are upgrades', async () => {
  const upgrade = (protocol: string) =>
    exchange(`GET / HTTP/1.1\r\nHost: a\r\nConnection: close, Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`);
  expect(await upgrade('h2c')).toMatch(/^HTTP\/1\.1 200 /);
  expect(await upgrade('websocket')).toMatch(/^HTTP\/1\.1 101 /);
  expect(upgrades).toEqual(['websocket']);
});

test('a client that never speaks TLS, or says nothing in it, is let go', async () => {
  const silent = open();
  silent.on('error', () => {});
  await once(silent, 'close');
});
