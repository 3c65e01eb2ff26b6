import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { body, get, raw, recorded, send, settled, withApp } from '../testing/wire-exchange.ts';
import { createWireFixture, httpProgram } from '../testing/wire-fixture.ts';

test('the first request starts the service, waits for it, and is recorded with its parts', async () => {
  await using fixture = await withApp((request, response) => response.end(`${request.method} ${request.url}`));
  const answer = await fixture.exchange(get('/a?b=c', 'User-Agent: test/1\r\n'));
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(body(answer)).toContain('GET /a?b=c');
  const record = await recorded(fixture);
  expect(record).toMatchObject({
    account: 'acc_1',
    deployment: 'hello',
    revision: 'rev-1',
    instance: fixture.runtime.instances[0]?.instanceId,
    status: 200,
    method: 'GET',
    url: '/a?b=c',
    host: 'hello.test',
    protocol: 'HTTP/1.1',
    remoteIp: '127.0.0.1',
    userAgent: 'test/1',
    trace: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  const { queuedMs, scheduledMs, spawnedMs, portOpenMs, firstByteMs } = record.coldStart!;
  const parts = [0, queuedMs, scheduledMs, spawnedMs, portOpenMs, firstByteMs, record.latencyMs + 0.001];
  expect(parts).toEqual([...parts].sort((a, b) => a - b));
  await fixture.exchange(get('/'));
  expect((await recorded(fixture, 2)).coldStart).toBeUndefined();
});

test("an unknown deployment is 404 and nobody's request", async () => {
  await using fixture = await withApp((_request, response) => response.end());
  const answer = await fixture.exchange('GET / HTTP/1.1\r\nHost: nobody.test\r\nConnection: close\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1\.1 404 /);
  expect(answer).toContain('berth-reason: unknown_deployment');
  expect(fixture.requests).toEqual([]);
  expect(fixture.runtime.instances).toEqual([]);
});

test('what the gateway says comes as the client prefers: JSON, a page, or plain text', async () => {
  await using fixture = await withApp((_request, response) => response.end());
  const ask = (accept: string) =>
    fixture.exchange(`GET / HTTP/1.1\r\nHost: no.test\r\nConnection: close\r\n${accept}\r\n`);
  const json = await ask('Accept: application/json\r\n');
  expect(JSON.parse(body(json))).toEqual({ detail: expect.stringContaining('"no"') });
  expect(await ask('Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n')).toContain('<h1>404 Not found</h1>');
  expect(await ask('Accept: */*\r\n')).toContain('Content-Type: text/plain');
  expect(await ask('')).toContain('No deployment "no" exists. See `berth ls` for existing ones.');
});

test("heads pass as they are, but for the connection's own and where the request came from", async () => {
  let seen: string[] = [];
  await using fixture = await withApp((request, response) => {
    seen = request.rawHeaders;
    response.writeHead(201, 'Made', [
      ...['Set-Cookie', 'a=1', 'X-Case', 'Kept', 'Set-Cookie', 'b=2', 'Connection', 'X-Hop', 'X-Hop', '1'],
    ]);
    response.end('x');
  });
  const answer = await fixture.exchange(
    [
      'GET / HTTP/1.1',
      'Host: hello.test:8787',
      'X-Twice: 1',
      'X-Twice: 2',
      'Connection: close, X-Secret',
      'X-Secret: 1',
      'Keep-Alive: timeout=9',
      'Proxy-Authorization: Basic eA==',
      'TE: trailers, gzip',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAAQAAP__',
      'X-Forwarded-For: 10.9.8.7',
      'X-Forwarded-Proto: https',
      'X-Forwarded-Host: evil.test',
      'Forwarded: for=1.1.1.1',
      'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      '\r\n',
    ].join('\r\n'),
  );
  const pairs = Array.from({ length: seen.length / 2 }, (_, i) => `${seen[2 * i]}: ${seen[2 * i + 1]}`);
  expect(pairs).toEqual([
    'Host: hello.test:8787',
    'X-Twice: 1',
    'X-Twice: 2',
    'TE: trailers',
    'X-Forwarded-For: 10.9.8.7, 127.0.0.1',
    'X-Forwarded-Proto: http',
    'X-Forwarded-Host: hello.test:8787',
    'Forwarded: for=127.0.0.1;host="hello.test:8787";proto=http',
    'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  ]);
  expect(answer).toMatch(/^HTTP\/1\.1 201 Made\r\n/);
  expect(answer.match(/^Set-Cookie: .*$/gm)).toEqual(['Set-Cookie: a=1', 'Set-Cookie: b=2']);
  expect(answer).toContain('X-Case: Kept');
  expect(answer).not.toMatch(/X-Hop/i);
  expect((await recorded(fixture)).trace).toBe('0af7651916cd43dd8448eb211c80319c');
});

test("a trusted proxy's word about the client, the protocol and the host is kept", async () => {
  let seen: Record<string, unknown> = {};
  await using fixture = await withApp(
    (request, response) => {
      seen = request.headers;
      response.end();
    },
    { trustedProxies: ['127.0.0.0/8'] },
  );
  await fixture.exchange(
    get(
      '/',
      'X-Forwarded-Proto: https\r\nX-Forwarded-Host: a.example\r\nX-Forwarded-For: 9.9.9.9, 1.1.1.1\r\nForwarded: for=1.1.1.1\r\n',
    ),
  );
  expect((await recorded(fixture)).remoteIp).toBe('1.1.1.1');
  expect(seen).toMatchObject({
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'a.example',
    'x-forwarded-for': '9.9.9.9, 1.1.1.1, 127.0.0.1',
    forwarded: 'for=1.1.1.1, for=127.0.0.1;host=hello.test;proto=https',
  });
});

test('nobody else is believed, whatever they say', async () => {
  let seen: Record<string, unknown> = {};
  await using fixture = await withApp(
    (request, response) => {
      seen = request.headers;
      response.end();
    },
    { trustedProxies: ['192.0.2.0/24'] },
  );
  await fixture.exchange(
    get('/', 'X-Forwarded-Proto: https\r\nX-Forwarded-Host: a.example\r\nX-Forwarded-For: 1.1.1.1\r\n'),
  );
  expect(seen).toMatchObject({ 'x-forwarded-proto': 'http', 'x-forwarded-host': 'hello.test' });
  expect((await recorded(fixture)).remoteIp).toBe('127.0.0.1');
});

test('a body keeps its framing: a length stays a length, chunks stay chunks, none stays none', async () => {
  const seen: unknown[] = [];
  await using fixture = await withApp((request, response) => {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      seen.push([request.method, length, coding, text, request.rawTrailers]);
      response.end(text);
    });
  });
  const post = 'POST / HTTP/1.1\r\nHost: hello.test\r\nConnection: close\r\n';
  await fixture.exchange(`${post}Content-Length: 5\r\n\r\nhello`);
  await fixture.exchange(`${post}Content-Length: 0\r\n\r\n`);
  await fixture.exchange(
    `${post}Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n`,
  );
  await fixture.exchange(get('/'));
  expect(seen).toEqual([
    ['POST', '5', undefined, 'hello', []],
    ['POST', '0', undefined, '', []],
    ['POST', undefined, 'chunked', 'hello', ['X-Sum', '1']],
    ['GET', undefined, undefined, '', []],
  ]);
  expect((await recorded(fixture, 4)).responseSize).toBeGreaterThan(0);
  expect(fixture.requests[0]?.requestSize).toBe(post.length + 'Content-Length: 5\r\n\r\nhello'.length);
});

test.each([
  ['204', (r: ServerResponse) => void r.writeHead(204).end(), ''],
  ['304', (r: ServerResponse) => void r.writeHead(304, { etag: '"a"' }).end(), ''],
  ['length', (r: ServerResponse) => void r.writeHead(200, { 'content-length': 2 }).end('ok'), 'ok'],
  [
    'chunked',
    (r: ServerResponse) => {
      r.write('o');
      r.end('k');
    },
    '2\r\nok\r\n0\r\n\r\n',
  ],
])('a response keeps its framing: %s', async (_name, answer, expected) => {
  await using fixture = await withApp((_request, response) => answer(response));
  const text = await fixture.exchange(get('/'));
  expect(body(text)).toBe(expected);
  expect(/transfer-encoding/i.test(text)).toBe(expected.includes('\r\n'));
});

test('HEAD has the head of GET and keeps its connection to the instance', async () => {
  const sockets = new Set<unknown>();
  await using fixture = await withApp((request, response) => {
    sockets.add(request.socket);
    response.writeHead(200, { 'content-length': 1234 });
    response.end();
  });
  for (let i = 0; i < 3; i++) {
    const answer = await fixture.exchange(get('/').replace('GET', 'HEAD'));
    expect(answer).toMatch(/content-length: 1234/i);
    expect(body(answer)).toBe('');
  }
  expect(sockets.size).toBe(1);
});

test('trailers and early hints pass', async () => {
  await using fixture = await withApp((_request, response) => {
    response.writeEarlyHints({ link: '</a.css>; rel=preload' });
    response.writeHead(200, { trailer: 'x-sum' });
    response.write('a');
    response.addTrailers({ 'x-sum': '1' });
    response.end();
  });
  const answer = await fixture.exchange(get('/'));
  expect(answer).toMatch(/^HTTP\/1\.1 103 Early Hints\r\nlink: <\/a\.css>; rel=preload\r\n\r\nHTTP\/1\.1 200 OK/i);
  expect(answer.endsWith('0\r\nx-sum: 1\r\n\r\n')).toBe(true);
  const old = await fixture.exchange('GET / HTTP/1.0\r\nHost: hello.test\r\n\r\n');
  expect(old).toMatch(/^HTTP\/1\.1 200 OK/);
  expect(body(old)).toBe('a');
});

test('trailers that are announced where none can follow do no harm', async () => {
  await using fixture = await createWireFixture({
    program: raw((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTrailer: x-sum\r\n\r\na')),
  });
  expect(body(await fixture.exchange(get('/')))).toBe('a');
});

test('every piece of a stream is passed on when it comes', async () => {
  let push = (_text: string | null) => {};
  await using fixture = await withApp((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    push = (text) => void (text === null ? response.end() : response.write(text));
  });
  const { request, response } = send(fixture, {});
  request.end();
  // The head arrives alone, before any event.
  const stream = await response;
  expect(stream.headers['content-type']).toBe('text/event-stream');
  for (const piece of ['d', 'a', 'data: x\n\n']) {
    push(piece);
    const [chunk] = await once(stream, 'data');
    expect(String(chunk)).toBe(piece);
  }
  push(null);
  stream.resume();
  await once(stream, 'end');
});

test("a response may begin before the request's body is complete, and both go on", async () => {
  await using fixture = await withApp((request, response) => {
    response.flushHeaders();
    request.on('data', (chunk) => response.write(String(chunk).toUpperCase()));
    request.on('end', () => response.end());
  });
  const { request, response } = send(fixture, { method: 'POST' });
  request.flushHeaders();
  const stream = await response;
  for (const piece of ['a', 'b']) {
    request.write(piece);
    const [chunk] = await once(stream, 'data');
    expect(String(chunk)).toBe(piece.toUpperCase());
  }
  request.end();
  stream.resume();
  await once(stream, 'end');
});

test('while it waits nothing is read, 100 Continue is held back, and a reader that is slow stops the writer', async () => {
  const opened = Promise.withResolvers<void>();
  let received = 0;
  let pause = true;
  await using fixture = await createWireFixture({
    async program() {
      await opened.promise;
      return httpProgram((request, response) => {
        request.on('data', (chunk: Buffer) => {
          received += chunk.length;
          if (pause) request.pause();
        });
        request.on('end', () => response.end(String(received)));
        waitUntil('the pause is over', () => !pause).then(() => request.resume());
      });
    },
  });
  const size = 24 * 2 ** 20;
  const { request, response } = send(fixture, {
    method: 'POST',
    headers: { expect: '100-continue', 'content-length': String(size) },
  });
  let isContinued = false;
  request.once('continue', () => {
    isContinued = true;
  });
  request.flushHeaders();
  await waitUntil('it waits', () => fixture.gateway.snapshot('hello')?.queued === 1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(isContinued).toBe(false);
  opened.resolve();
  await waitUntil('it may go on', () => isContinued);
  request.end(Buffer.alloc(size));
  await settled(() => request.socket?.bytesWritten ?? 0);
  // The rest is in socket buffers; the gateway reads no more than the instance does.
  expect(received).toBeLessThan(size / 2);
  expect(request.socket?.writableLength).toBeGreaterThan(size / 2);
  pause = false;
  let text = '';
  for await (const chunk of await response) text += chunk;
  expect(text).toBe(String(size));
});

test('a client that reads slowly stops the instance', async () => {
  let written = 0;
  await using fixture = await withApp((_request, response) => {
    const more = () => {
      while (written < 64 * 2 ** 20) {
        written += 65_536;
        if (!response.write(Buffer.alloc(65_536))) {
          response.once('drain', more);
          return;
        }
      }
      response.end();
    };
    more();
  });
  const { request, response } = send(fixture, {});
  request.end();
  const stream = await response;
  await once(stream, 'readable');
  await settled(() => written);
  expect(written).toBeLessThan(48 * 2 ** 20);
  let size = 0;
  for await (const chunk of stream) size += (chunk as Buffer).length;
  expect(size).toBe(64 * 2 ** 20);
});

test('a service sees no header that passes for one of the gateway to CGI programs', async () => {
  let seen: string[] = [];
  await using fixture = await withApp((request, response) => {
    seen = request.rawHeaders.map((name) => name.toLowerCase());
    response.end();
  });
  await fixture.exchange(get('/', 'X_Forwarded_For: 6.6.6.6\r\nProxy: http://6.6.6.6\r\nX_Own: 1\r\n'));
  expect(seen).toContain('x_own');
  expect(seen).not.toContain('x_forwarded_for');
  expect(seen).not.toContain('proxy');
});
