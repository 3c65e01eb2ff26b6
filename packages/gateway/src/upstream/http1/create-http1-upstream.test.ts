import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { type Clock, createSystemClock } from '@berth/kit';
import { createFakeClock, waitUntil } from '@berth/testkit';
import { afterEach, expect, test } from 'vitest';
import type { UpstreamError, UpstreamHandler, UpstreamRequest } from '../../port/upstream.ts';
import { createHttp1Upstream } from './create-http1-upstream.ts';

const servers: Server[] = [];
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** An instance that is a raw socket server. `answer` is called on each read with all bytes that the connection has read so far. */
async function createInstance(answer: (socket: Socket, read: string) => void, clock: Clock = createSystemClock()) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    let read = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      read += chunk.toString('latin1');
      answer(socket, read);
    });
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const upstream = createHttp1Upstream({
    clock,
    host: '127.0.0.1',
    port,
    connectTimeoutMs: 1_000,
    idleMs: 4_000,
  });
  return { upstream, sockets, server, port };
}

interface Exchange extends UpstreamHandler {
  readonly connected: Promise<void>;
  body: string;
  status: number;
  drains: number;
  upgraded: string;
  readonly done: Promise<{ readonly trailers?: readonly string[]; readonly error?: UpstreamError }>;
}

function createExchange(): Exchange {
  const connected = Promise.withResolvers<void>();
  const done = Promise.withResolvers<{ trailers?: readonly string[]; error?: UpstreamError }>();
  let ends = 0;
  const end = (how: { trailers?: readonly string[]; error?: UpstreamError }) => {
    expect(++ends, 'C1: one end').toBe(1);
    done.resolve(how);
  };
  return {
    body: '',
    status: 0,
    drains: 0,
    upgraded: '',
    done: done.promise,
    connected: connected.promise,
    onConnected: () => connected.resolve(),
    onInformation() {},
    onResponse(response) {
      this.status = response.status;
    },
    onData(chunk) {
      this.body += chunk.toString('latin1');
    },
    onFlush() {},
    onDrain() {
      this.drains++;
    },
    onEnd: (trailers) => end({ trailers }),
    onUpgrade(_response, socket, head) {
      this.upgraded = head.toString('latin1');
      socket.destroy();
      end({});
    },
    onError: (error) => end({ error }),
  };
}

const get: UpstreamRequest = { method: 'GET', path: '/', headers: ['Host', 'a'], body: 'none' };

test('a connection carries one request after another', async () => {
  const { upstream, sockets } = await createInstance((socket) => socket.write(OK));
  for (let i = 0; i < 3; i++) {
    const exchange = createExchange();
    upstream.open(get, exchange, false);
    await exchange.done;
    expect(exchange).toMatchObject({ status: 200, body: 'ok' });
  }
  expect(sockets).toHaveLength(1);
  upstream.destroy();
});

test('the head goes out before any byte of the body, framed as it was', async () => {
  let seen = '';
  const { upstream } = await createInstance((socket, read) => {
    seen = read;
    if (read.endsWith('0\r\nX-Sum: 1\r\n\r\n')) socket.write(OK);
  });
  const exchange = createExchange();
  const stream = upstream.open({ ...get, method: 'POST', body: 'chunked' }, exchange, true);
  await waitUntil('the head is there', () => seen !== '');
  expect(seen).toBe('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
  await exchange.connected;
  stream.write(Buffer.from('hello'));
  stream.end(['X-Sum', '1']);
  await exchange.done;
  expect(seen.endsWith('5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n')).toBe(true);
  upstream.destroy();
});

test('a kept connection that the instance has closed is not used for a request that must not be sent twice', async () => {
  const { upstream, sockets } = await createInstance((socket) => socket.write(OK));
  const first = createExchange();
  upstream.open(get, first, false);
  await first.done;
  sockets[0]?.destroy();
  await once(sockets[0]!, 'close');
  const second = createExchange();
  const stream = upstream.open({ ...get, method: 'POST', body: 2 }, second, true);
  await second.connected;
  stream.write(Buffer.from('hi'));
  stream.end();
  await second.done;
  expect(second.status).toBe(200);
  expect(sockets).toHaveLength(2);
  upstream.destroy();
});

test.each([
  ['connect', undefined],
  ['reset', (socket: Socket) => socket.destroy()],
  ['truncated', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe')],
  ['protocol', (socket: Socket) => socket.end('SSH-2.0-OpenSSH\r\n\r\n')],
] as const)('an exchange that fails says how: %s', async (kind, answer) => {
  const { upstream, server } = await createInstance(answer ?? (() => {}));
  if (answer === undefined) {
    server.close();
    await once(server, 'close');
  }
  const exchange = createExchange();
  upstream.open(get, exchange, false);
  expect((await exchange.done).error?.kind).toBe(kind);
});

test.each([
  ['a reused connection at once', 1, 0, true],
  ['a reused connection 3 s into the request', 1, 3_000, false],
  ['a new connection at once', 0, 0, false],
])(
  'a connection closed without a response was stale when the request and the close can have crossed: %s',
  async (_what, before, afterMs, isStale) => {
    // Fails when the age of the request is ignored: a GET was sent twice when the instance dropped it after 3 s of work.
    const clock = createFakeClock();
    let requests = 0;
    let last: Socket | undefined;
    const { upstream } = await createInstance((socket) => {
      requests++;
      last = socket;
      if (requests <= before) socket.write(OK);
    }, clock);
    for (let i = 0; i < before; i++) {
      const exchange = createExchange();
      upstream.open(get, exchange, false);
      await exchange.done;
    }
    const dropped = createExchange();
    upstream.open(get, dropped, false);
    await waitUntil('it is sent', () => requests === before + 1);
    await clock.elapse(afterMs);
    last?.destroy();
    expect((await dropped.done).error).toMatchObject({ kind: 'reset', isStale });
    upstream.destroy();
  },
);

test('bytes behind a response are never the answer to the next request', async () => {
  const { upstream, sockets } = await createInstance((socket) => socket.write(`${OK}HTTP/1.1 666 No\r\n\r\n`));
  for (let i = 0; i < 2; i++) {
    const exchange = createExchange();
    upstream.open(get, exchange, false);
    await exchange.done;
    expect(exchange.status).toBe(200);
  }
  expect(sockets).toHaveLength(2);
  upstream.destroy();
});

test('C2: a connection whose request is not complete is not used again', async () => {
  const { upstream, sockets } = await createInstance((socket) => socket.write(OK));
  const exchange = createExchange();
  const stream = upstream.open({ ...get, method: 'POST', body: 100 }, exchange, false);
  await exchange.connected;
  stream.write(Buffer.from('part'));
  await exchange.done;
  stream.write(Buffer.from('late'));
  const next = createExchange();
  upstream.open(get, next, false);
  await next.done;
  expect(sockets).toHaveLength(2);
  upstream.destroy();
});

test('an exchange that is over does nothing to the connection it had', async () => {
  const { upstream, sockets } = await createInstance((socket) => setImmediate(() => socket.write(OK)));
  const first = createExchange();
  const stream = upstream.open(get, first, false);
  await first.done;
  const second = createExchange();
  upstream.open(get, second, false);
  stream.destroy();
  stream.pause();
  await second.done;
  expect(second.status).toBe(200);
  expect(sockets).toHaveLength(1);
  upstream.destroy();
});

test('an upgrade hands over the connection', async () => {
  const { upstream } = await createInstance((socket) => socket.write('HTTP/1.1 101 OK\r\nUpgrade: x\r\n\r\nhello'));
  const exchange = createExchange();
  upstream.open({ ...get, upgrade: 'x' }, exchange, false);
  await exchange.done;
  expect(exchange.upgraded).toBe('hello');
});

test('a reader that pauses stops the instance, not the other way round', async () => {
  const large = Buffer.alloc(8 * 2 ** 20, 'x');
  const { upstream, sockets } = await createInstance((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${large.length}\r\n\r\n`);
    socket.write(large);
  });
  const exchange = createExchange();
  const stream = upstream.open(get, exchange, false);
  let isPaused = false;
  exchange.onResponse = () => {
    stream.pause();
    isPaused = true;
  };
  // Bytes that were read together with the head are delivered too.
  await waitUntil('the instance is stopped', () => isPaused && (sockets[0]?.writableLength ?? 0) > 0);
  const before = exchange.body.length;
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(exchange.body.length).toBe(before);
  expect(before).toBeLessThan(large.length / 2);
  stream.resume();
  await exchange.done;
  expect(exchange.body.length).toBe(large.length);
  upstream.destroy();
});

test('destroying it breaks off what is under way', async () => {
  const { upstream } = await createInstance((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe'));
  const begun = createExchange();
  upstream.open(get, begun, false);
  await waitUntil('the response has begun', () => begun.body !== '');
  const fresh = createExchange();
  upstream.open(get, fresh, false);
  upstream.destroy();
  expect((await begun.done).error?.kind).toBe('truncated');
  expect((await fresh.done).error?.kind).toBe('connect');
});
