import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { createAddressRule } from './address-rule.ts';
import { createGuardedConnections } from './guarded-connections.ts';
import { guardedRequest } from './guarded-request.ts';
import type { GuardedRequestOptions, GuardedResponse } from './guarded-request-options.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Asked {
  readonly line: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

async function serve(answer: RequestListener) {
  const asked: Asked[] = [];
  const seen = { connections: 0 };
  const server = createServer((request, response) => {
    buffer(request).then(
      (body) => {
        asked.push({ line: `${request.method} ${request.url}`, headers: request.headers, body: String(body) });
        answer(request, response);
      },
      () => {},
    );
  }).listen(0, '0.0.0.0');
  server.on('connection', () => seen.connections++);
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, seen, server, port: (server.address() as AddressInfo).port };
}

function pool() {
  const connections = createGuardedConnections();
  closing.push(connections.close);
  return connections;
}

const ask = (url: string, options: Partial<GuardedRequestOptions> = {}) =>
  guardedRequest({
    url,
    protocols: ['http:'],
    resolve: async () => ['127.0.0.1'],
    isAllowed: createAddressRule(['127.0.0.0/8']),
    timeoutMs: 10_000,
    ...options,
  });

async function textOf({ body }: Pick<GuardedResponse, 'body'>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function* pieces(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
}

test('an answer comes while it is made, and leaving it ends it', async () => {
  let isClosed = false;
  const ended = Promise.withResolvers<void>();
  const { port } = await serve((_request, response) => {
    response.on('close', () => {
      isClosed = true;
      ended.resolve();
    });
    response.write('first');
  });
  const { body, status } = await ask(`http://api.example:${port}/`);
  for await (const chunk of body) {
    expect([status, String(chunk), isClosed]).toEqual([200, 'first', false]);
    break;
  }
  await ended.promise;
  const unread = await ask(`http://api.example:${port}/`);
  unread.discard();
});

test.each<[string, Partial<GuardedRequestOptions>, Partial<Asked['headers']>, string]>([
  ['bytes', { method: 'POST', body: Buffer.from('abc') }, { 'content-length': '3' }, 'abc'],
  ['no bytes', { method: 'POST', body: new Uint8Array() }, { 'content-length': '0' }, ''],
  [
    'bytes of a method that mostly has none',
    { method: 'DELETE', body: Buffer.from('x') },
    { 'content-length': '1' },
    'x',
  ],
  ['a stream', { method: 'POST', body: pieces('a', 'b') }, { 'transfer-encoding': 'chunked' }, 'ab'],
  [
    'a stream whose length is known',
    { method: 'PUT', body: pieces('a', 'b'), headers: { 'Content-Length': '2' } },
    { 'content-length': '2' },
    'ab',
  ],
])('%s are sent with where they end', async (_what, options, headers, body) => {
  const { port, asked } = await serve((_request, response) => response.end());
  await textOf(await ask(`http://api.example:${port}/x`, options));
  expect(asked).toMatchObject([{ body, headers }]);
});

test('a body is not begun before the far end was judged', async () => {
  const { port, asked } = await serve((_request, response) => response.end());
  let isRead = false;
  async function* body() {
    isRead = true;
    yield Buffer.from('secret');
  }
  let judged = 0;
  const asking = ask(`http://api.example:${port}/`, { method: 'POST', body: body(), isAllowed: () => judged++ === 0 });
  await expect(asking).rejects.toMatchObject({ fault: 'refused' });
  expect([judged, isRead, asked]).toEqual([2, false, []]);
});

test('headers of the connection are not the caller’s to say', async () => {
  const { port, asked } = await serve((_request, response) => response.end());
  const headers = {
    host: 'evil',
    Connection: 'upgrade',
    'transfer-encoding': 'x',
    TE: 'x',
    Upgrade: 'x',
    'X-Mine': '1',
  };
  await textOf(await ask(`http://api.example:${port}/`, { headers }));
  expect(asked[0]?.headers).toEqual({
    host: `api.example:${port}`,
    connection: 'close',
    'user-agent': 'berth',
    accept: '*/*',
    'accept-encoding': 'identity',
    'x-mine': '1',
  });
  for (const value of ['a\r\nX-Evil: 1', 'a\nb', 'a\0b', '\u{1f4a9}']) {
    const error = await ask(`http://api.example:${port}/`, { headers: { 'X-Key': value } }).catch((thrown) => thrown);
    expect([error.fault, error.message.includes('X-Key')]).toEqual(['refused', false]);
  }
  expect(asked).toHaveLength(1);
});

test('a redirect elsewhere takes no credentials along; within the origin all goes on', async () => {
  const { port, asked } = await serve((request, response) => {
    const [, status, target] = /^\/(\d+)\/(.*)/.exec(request.url ?? '') ?? [];
    if (status) response.writeHead(Number(status), { location: target }).end();
    else response.end('here');
  });
  const headers = { Authorization: 'Bearer x', 'X-Api-Key': 'y', Accept: 'text/plain' };
  const options = { headers, maxRedirects: 3 };
  await textOf(await ask(`http://api.example:${port}/302/http://other.example:${port}/away`, options));
  expect(asked.pop()?.headers).not.toMatchObject({ authorization: 'Bearer x' });
  await textOf(await ask(`http://api.example:${port}/302//same`, options));
  expect(asked.pop()?.headers).toMatchObject({ authorization: 'Bearer x', 'x-api-key': 'y', accept: 'text/plain' });

  asked.length = 0;
  const post = { ...options, method: 'POST', body: Buffer.from('made') };
  expect(await textOf(await ask(`http://api.example:${port}/307//same`, post))).toBe('here');
  expect(asked.map(({ line, body }) => `${line} ${body}`)).toEqual(['POST /307//same made', 'POST /same made']);
  for (const target of [`/307/http://other.example:${port}/`, '/302//same', '/303//same']) {
    asked.length = 0;
    const answer = await ask(`http://api.example:${port}${target}`, post);
    answer.discard();
    expect([answer.status >= 300, asked.length]).toEqual([true, 1]);
  }
});

test('connections are used again, each request for its own name and judged again', async () => {
  const { port, asked, seen } = await serve((_request, response) => response.end('ok'));
  const connections = pool();
  for (const host of ['one.example', 'two.example', 'one.example']) {
    await textOf(await ask(`http://${host}:${port}/`, { connections }));
  }
  expect(asked.map(({ headers }) => headers.host)).toEqual(
    ['one', 'two', 'one'].map((name) => `${name}.example:${port}`),
  );
  expect(seen.connections).toBe(1);
  await expect(ask(`http://one.example:${port}/`, { connections, isAllowed: () => false })).rejects.toThrow(
    'one.example resolves to a non-public address',
  );
  expect(asked).toHaveLength(3);
});

test('who stops in the middle of an answer that has come leaves no connection that nobody has', async () => {
  const closed = Promise.withResolvers<void>();
  const { port, server } = await serve((_request, response) => response.end(Buffer.alloc(100_000)));
  server.on('connection', (socket) => socket.on('close', () => closed.resolve()));
  const connections = pool();
  const { body } = await ask(`http://one.example:${port}/`, { connections });
  for await (const _chunk of body) break;
  await closed.promise;
  expect(Object.keys(connections.http.sockets)).toEqual([]);
});

test('a kept connection that the server has closed costs nothing that can be asked twice, and nothing is made twice', async () => {
  let isDropping = false;
  const { port, asked } = await serve((request, response) => {
    if (isDropping) request.socket.destroy();
    else response.end('ok');
  });
  const url = `http://api.example:${port}/`;
  for (const [method, isRepeated] of [
    ['GET', true],
    ['PUT', true],
    ['POST', false],
    ['PATCH', false],
  ] as const) {
    const connections = pool();
    isDropping = false;
    await textOf(await ask(url, { connections }));
    isDropping = true;
    asked.length = 0;
    await expect(ask(url, { connections, method, body: new Uint8Array() })).rejects.toMatchObject({
      fault: 'unreachable',
    });
    // The second time it is a new connection, whose end is the end.
    expect([method, asked.length]).toEqual([method, isRepeated ? 2 : 1]);
  }
});

test('an answer that is too long ends with an error, however it is sent', async () => {
  const { port } = await serve((_request, response) => response.end('x'.repeat(1_001)));
  const answer = await ask(`http://api.example:${port}/`, { maxBytes: 1_000 });
  await expect(textOf(answer)).rejects.toMatchObject({ fault: 'too_long' });
  const fits = await ask(`http://api.example:${port}/`, { maxBytes: 1_001 });
  expect((await textOf(fits)).length).toBe(1_001);
});

/** Fails when headers for one address are carried over a redirect to another. */
test('headers for an address are sent to that address only', async () => {
  const target = await serve((_request, response) => response.end('there'));
  const first = await serve((_request, response) => {
    response.writeHead(302, { location: `http://other.example:${target.port}/` }).end();
  });
  const answer = await ask(`http://own.example:${first.port}/`, {
    maxRedirects: 1,
    resolve: async (host) => [host === 'own.example' ? '127.0.0.1' : '127.0.0.2'],
    headersFor: (address): Record<string, string> => (address === '127.0.0.1' ? { 'x-own': 'yes' } : {}),
  });
  expect(await textOf(answer)).toBe('there');
  expect([first.asked[0]?.headers['x-own'], target.asked[0]?.headers['x-own']]).toEqual(['yes', undefined]);
});
