import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { testTarget } from '../testing/test-target.ts';
import { createWireFixture, type TestProgram, type WireFixture } from '../testing/wire-fixture.ts';

/** An app that echoes and records the close code of each socket. */
function echoApp(codes: number[] = []): TestProgram {
  const server = createServer((_request, response) => response.writeHead(426).end('upgrade, please'));
  const sockets = new WebSocketServer({ server, maxPayload: 64 * 2 ** 20 });
  sockets.on('connection', (socket) => {
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
    socket.on('close', (code) => codes.push(code));
    socket.on('error', () => {});
  });
  return server;
}

const open = (fixture: WireFixture) =>
  new WebSocket(`ws://127.0.0.1:${fixture.port}/chat`, { headers: { host: 'hello.test' } });

const upgrade = (lines = '') =>
  `GET / HTTP/1.1\r\nHost: hello.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${lines}\r\n`;

test('a WebSocket is a request until it closes', async () => {
  await using fixture = await createWireFixture({ program: () => echoApp() });
  const socket = open(fixture);
  await once(socket, 'open');
  for (const text of ['a', 'x'.repeat(70_000), 'x'.repeat(5_000_000)]) {
    socket.send(text);
    const [answer] = await once(socket, 'message');
    expect(String(answer) === text).toBe(true);
  }
  expect(fixture.gateway.snapshot('hello')).toMatchObject({ inFlight: 1 });
  expect(fixture.requests).toEqual([]);
  socket.close(1000);
  await once(socket, 'close');
  await waitUntil('it is recorded', () => fixture.requests.length === 1);
  expect(fixture.requests[0]).toMatchObject({ status: 101, url: '/chat', method: 'GET' });
  expect(fixture.requests[0]?.responseSize).toBeGreaterThan(5_070_000);
  expect(fixture.requests[0]?.requestSize).toBeGreaterThan(5_070_000);
  await waitUntil('its slot is free', () => fixture.gateway.snapshot('hello')?.inFlight === 0);
});

test('an app that does not upgrade answers as it likes', async () => {
  await using fixture = await createWireFixture({
    program: () => createServer((_request, response) => response.end('no')),
  });
  const answer = await fixture.exchange(upgrade());
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(answer.endsWith('\r\n\r\nno')).toBe(true);
  await waitUntil('it is recorded', () => fixture.requests.length === 1);
  expect(fixture.requests[0]).toMatchObject({ status: 200 });
});

test('an upgrade to an unknown deployment, or with a body, is refused', async () => {
  await using fixture = await createWireFixture({ program: () => echoApp() });
  expect(await fixture.exchange(upgrade().replace('hello.test', 'no.test'))).toMatch(/^HTTP\/1\.1 404 /);
  expect(await fixture.exchange(`${upgrade('Content-Length: 3\r\n')}abc`)).toMatch(/^HTTP\/1\.1 501 /);
  expect(fixture.runtime.instances).toEqual([]);
});

test('frames that come before the app has answered are passed on', async () => {
  const opened = Promise.withResolvers<void>();
  await using fixture = await createWireFixture({
    async program() {
      await opened.promise;
      return echoApp();
    },
  });
  const socket = await fixture.connect();
  // "hi", masked with zeros, sent in two pieces.
  socket.write(upgrade());
  socket.write(Buffer.from([0x81, 0x82, 0, 0]));
  await waitUntil('it waits', () => fixture.gateway.snapshot('hello')?.queued === 1);
  socket.write(Buffer.from([0, 0, 0x68, 0x69]));
  opened.resolve();
  let answer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    answer = Buffer.concat([answer, chunk]);
  });
  await waitUntil('the echo is there', () => answer.includes(Buffer.from([0x81, 0x02, 0x68, 0x69])));
  socket.destroy();
});

test('a client that leaves is noticed, in the queue and after', async () => {
  const codes: number[] = [];
  const opened = Promise.withResolvers<void>();
  await using fixture = await createWireFixture({
    async program() {
      await opened.promise;
      return echoApp(codes);
    },
  });
  const early = await fixture.connect();
  early.write(upgrade());
  await waitUntil('it waits', () => fixture.gateway.snapshot('hello')?.queued === 1);
  early.destroy();
  await waitUntil('it is recorded', () => fixture.requests.length === 1);
  expect(fixture.requests[0]).toMatchObject({ status: 499 });
  opened.resolve();
  const late = open(fixture);
  await once(late, 'open');
  late.terminate();
  await waitUntil('the app knows', () => codes.length === 1);
  await waitUntil('it is recorded', () => fixture.requests.length === 2);
  await waitUntil('its slot is free', () => fixture.gateway.snapshot('hello')?.inFlight === 0);
});

test('a client that does not read stops the app', async () => {
  let app: WebSocket | undefined;
  await using fixture = await createWireFixture({
    program() {
      const server = createServer();
      new WebSocketServer({ server }).on('connection', (socket) => {
        app = socket;
        socket.on('error', () => {});
        for (let i = 0; i < 64; i++) socket.send(Buffer.alloc(2 ** 20));
      });
      return server;
    },
  });
  const socket = open(fixture);
  let received = 0;
  socket.on('message', () => {
    received++;
    if (received === 1) socket.pause();
  });
  await waitUntil('it has begun', () => received > 0);
  let before = -1;
  while (before !== app?.bufferedAmount) {
    before = app?.bufferedAmount ?? 0;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(before).toBeGreaterThan(32 * 2 ** 20);
  socket.resume();
  await waitUntil('all is there', () => received === 64);
  socket.terminate();
});

test('an app that crashes takes its WebSockets with it', async () => {
  await using fixture = await createWireFixture({ program: () => echoApp() });
  const socket = open(fixture);
  await once(socket, 'open');
  fixture.crash(fixture.runtime.instances[0]!);
  const [code] = await once(socket, 'close');
  expect(code).toBe(1006);
  await waitUntil('it is recorded', () => fixture.requests.length === 1);
});

test('a deploy tells both ends of a WebSocket to go, with 1012, after the grace', async () => {
  const codes: number[] = [];
  await using fixture = await createWireFixture({
    program: () => echoApp(codes),
    policy: { webSocketGraceMs: 150, webSocketCloseMs: 2_000 },
  });
  const socket = open(fixture);
  await once(socket, 'open');
  await fixture.gateway.activate(testTarget({ revision: 'rev-2' }), { signal: new AbortController().signal });
  // The tunnel still works until then.
  socket.send('still here');
  const [answer] = await once(socket, 'message');
  expect(String(answer)).toBe('still here');
  const [code] = await once(socket, 'close');
  expect(code).toBe(1012);
  await waitUntil('the app was told too', () => codes.length === 1);
  expect(codes).toEqual([1012]);
  await waitUntil('the old instance is gone', () => fixture.runtime.running.length === 1);
  await waitUntil('it is recorded', () => fixture.requests.length === 1);
  expect(fixture.requests.at(-1)).toMatchObject({ status: 101, revision: 'rev-1' });
});

test('the close frame waits for the end of a frame that is on its way', async () => {
  const received: Buffer[] = [];
  let app: Socket | undefined;
  await using fixture = await createWireFixture({
    program() {
      const server = createServer();
      server.on('upgrade', (_request, socket: Socket) => {
        app = socket;
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
        socket.on('data', (chunk: Buffer) => received.push(chunk));
        socket.on('end', () => socket.end());
        socket.on('error', () => {});
      });
      return server;
    },
    policy: { webSocketGraceMs: 50, webSocketCloseMs: 5_000 },
  });
  const client = await fixture.connect();
  let answer = Buffer.alloc(0);
  client.on('data', (chunk: Buffer) => {
    answer = Buffer.concat([answer, chunk]);
  });
  client.write(upgrade());
  await waitUntil('it is open', () => app !== undefined && answer.includes('\r\n\r\n'));
  const headLength = answer.indexOf('\r\n\r\n') + 4;
  // Both sides are in the middle of a frame of six bytes.
  app?.write(Buffer.from([0x82, 6, 1, 2, 3]));
  client.write(Buffer.from([0x82, 0x86, 0, 0, 0, 0, 9, 8]));
  await waitUntil('the halves have passed', () => answer.length === headLength + 5);
  await fixture.gateway.activate(testTarget({ revision: 'rev-2' }), { signal: new AbortController().signal });
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(answer.length).toBe(headLength + 5);
  // The rest of the frame, and another frame that is not forwarded.
  app?.write(Buffer.from([4, 5, 6, 0x81, 1, 0x61]));
  client.write(Buffer.from([7, 6, 5, 4, 0x81, 0x81, 0, 0, 0, 0, 0x61]));
  await waitUntil('both were told', () => answer.length === headLength + 12 && Buffer.concat(received).length === 20);
  expect([...answer.subarray(headLength)]).toEqual([0x82, 6, 1, 2, 3, 4, 5, 6, 0x88, 2, 0x03, 0xf4]);
  expect([...Buffer.concat(received).subarray(12)]).toEqual([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xf4]);
  // The answer to the close frame ends the connection.
  client.write(Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xf4]));
  app?.write(Buffer.from([0x88, 2, 0x03, 0xf4]));
  await once(client, 'close');
  await waitUntil('it is recorded', () => fixture.requests.length === 1);
});

test('a WebSocket that outlasts the timeout is closed', async () => {
  await using fixture = await createWireFixture({ program: () => echoApp(), target: { timeoutMs: 500 } });
  const socket = open(fixture);
  const [code] = await once(socket, 'close');
  expect(code).toBe(1012);
});

test('another protocol is passed as it is and ended at a deploy', async () => {
  await using fixture = await createWireFixture({
    program() {
      const server = createServer();
      server.on('upgrade', (_request, socket: Socket) => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n');
        socket.pipe(socket);
        socket.on('error', () => {});
      });
      return server;
    },
    policy: { webSocketGraceMs: 50 },
    upgrades: 'all',
  });
  const client = await fixture.connect();
  let answer = '';
  client.on('data', (chunk) => {
    answer += chunk;
  });
  client.write(upgrade().replace('websocket', 'tcp'));
  await waitUntil('it is open', () => answer.includes('\r\n\r\n'));
  client.write('anything');
  await waitUntil('it echoes', () => answer.endsWith('anything'));
  await fixture.gateway.activate(testTarget({ revision: 'rev-2' }), { signal: new AbortController().signal });
  await once(client, 'close');
});
