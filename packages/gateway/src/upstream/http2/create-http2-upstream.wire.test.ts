import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  createServer,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { createWireFixture, type TestProgram, type WireFixture } from '../../testing/wire-fixture.ts';

type Answer = (stream: ServerHttp2Stream, headers: OutgoingHttpHeaders) => void;

/** An app that speaks h2c only. */
function http2Program(answer: Answer, sessions = new Set<unknown>(), streams = 100): TestProgram {
  const server = createServer({ settings: { maxConcurrentStreams: streams } });
  const open = new Set<{ destroy(): void }>();
  server.on('session', (session) => open.add(session));
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    sessions.add(stream.session);
    stream.on('error', () => {});
    answer(stream, headers);
  });
  return Object.assign(server, {
    closeAllConnections() {
      for (const session of open) session.destroy();
    },
  });
}

const withApp = (answer: Answer, target = {}) =>
  createWireFixture({ program: () => http2Program(answer), target: { useHttp2: true, ...target } });

function http2Client(fixture: WireFixture): ClientHttp2Session {
  return connect('http://hello.test', { createConnection: () => connectTcp(fixture.port, '127.0.0.1') });
}

async function read(stream: ClientHttp2Stream) {
  let trailers: unknown;
  stream.on('trailers', (got) => {
    trailers = got;
  });
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
  let text = '';
  for await (const chunk of stream) text += chunk;
  return { headers, text, trailers };
}

const authority = { ':authority': 'hello.test' };

test('HTTP/1.1 comes out as h2c and goes back as HTTP/1.1', async () => {
  let seen: OutgoingHttpHeaders = {};
  await using fixture = await withApp((stream, headers) => {
    seen = headers;
    stream.respond({ ':status': 201, 'set-cookie': ['a=1', 'b=2'], 'x-a': '1' });
    stream.end('ok');
  });
  const answer = await fixture.exchange(
    'GET /a?b HTTP/1.1\r\nHost: hello.test\r\nConnection: close\r\nCookie: a=b\r\nCookie: c=d\r\nX-B: 1\r\nX-B: 2\r\n\r\n',
  );
  expect(seen).toMatchObject({
    ':method': 'GET',
    ':path': '/a?b',
    ':authority': 'hello.test',
    cookie: 'a=b; c=d',
    'x-b': '1, 2',
    'x-forwarded-for': '127.0.0.1',
  });
  expect(seen).not.toHaveProperty('connection');
  expect(answer).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
  expect(answer.match(/^set-cookie: .*$/gm)).toEqual(['set-cookie: a=1', 'set-cookie: b=2']);
  expect(answer.endsWith('2\r\nok\r\n0\r\n\r\n')).toBe(true);
});

test('HTTP/2 all the way: bodies and trailers both ways, as they come', async () => {
  await using fixture = await withApp((stream) => {
    stream.respond({ ':status': 200 }, { waitForTrailers: true });
    stream.on('data', (chunk) => stream.write(String(chunk).toUpperCase()));
    let sum = '';
    stream.on('trailers', (trailers) => {
      sum = String(trailers['x-sum']);
    });
    stream.on('end', () => stream.end());
    stream.on('wantTrailers', () => stream.sendTrailers({ 'x-sum': `${sum} too` }));
  });
  const session = http2Client(fixture);
  const stream = session.request({ ...authority, ':method': 'POST' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'x-sum': 'one' }));
  let trailers: unknown;
  stream.on('trailers', (got) => {
    trailers = got;
  });
  await once(stream, 'response');
  for (const piece of ['a', 'b']) {
    stream.write(piece);
    const [chunk] = await once(stream, 'data');
    expect(String(chunk)).toBe(piece.toUpperCase());
  }
  stream.end();
  await once(stream, 'end');
  expect(trailers).toMatchObject({ 'x-sum': 'one too' });
  await waitUntil('it is recorded', () => fixture.requests.length === 1);
  expect(fixture.requests[0]).toMatchObject({ status: 200, protocol: 'HTTP/2.0' });
  session.close();
});

test('a head without a body is the end of its stream', async () => {
  await using fixture = await withApp((stream) =>
    stream.respond({ ':status': 200, 'grpc-status': '5' }, { endStream: true }),
  );
  const session = http2Client(fixture);
  const stream = session.request({ ...authority, ':path': '/' });
  const [, flags] = (await once(stream, 'response')) as [unknown, number];
  const END_STREAM = 1;
  expect(flags & END_STREAM).toBe(END_STREAM);
  session.close();
});

test('many requests share a connection, and another one is opened when its streams are used up', async () => {
  const sessions = new Set<unknown>();
  const open: (() => void)[] = [];
  await using fixture = await createWireFixture({
    program: () =>
      http2Program(
        (stream) =>
          void open.push(() => {
            stream.respond({ ':status': 200 });
            stream.end();
          }),
        sessions,
        3,
      ),
    target: { useHttp2: true, concurrency: 20, maxInstances: 1 },
  });
  const session = http2Client(fixture);
  const first = session.request({ ...authority });
  await waitUntil('the first is there', () => open.length === 1);
  open[0]?.();
  await read(first);
  const rest = Array.from({ length: 7 }, () => read(session.request({ ...authority })));
  await waitUntil('all are there', () => open.length === 8);
  expect(sessions.size).toBe(3);
  for (const finish of open.slice(1)) finish();
  for (const { headers } of await Promise.all(rest)) expect(headers[':status']).toBe(200);
  session.close();
});

test('a body of any size moves at the pace of its reader', async () => {
  const size = 8 * 2 ** 20;
  let received = 0;
  await using fixture = await withApp((stream) => {
    stream.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    stream.on('end', () => {
      stream.respond({ ':status': 200 });
      stream.end(Buffer.alloc(size));
    });
  });
  const session = http2Client(fixture);
  const stream = session.request({ ...authority, ':method': 'POST' });
  stream.end(Buffer.alloc(size));
  await once(stream, 'response');
  expect(received).toBe(size);
  let got = 0;
  for await (const chunk of stream) got += (chunk as Buffer).length;
  expect(got).toBe(size);
  session.close();
});

test('a stream that the app resets is 502 before a response, and a reset after it began', async () => {
  await using fixture = await withApp((stream, headers) => {
    if (headers[':path'] === '/begun') {
      stream.respond({ ':status': 200 });
      stream.write('begin', () => stream.destroy(new Error('broken')));
    } else stream.destroy(new Error('broken'));
  });
  const session = http2Client(fixture);
  const refused = await read(session.request({ ...authority, ':method': 'POST', ':path': '/' }));
  expect(refused.headers).toMatchObject({ ':status': 502, 'berth-reason': 'upstream_reset' });
  const begun = session.request({ ...authority, ':path': '/begun' });
  begun.on('error', () => {});
  await once(begun, 'response');
  begun.resume();
  await new Promise((resolve) => begun.once('close', resolve));
  expect(begun.rstCode).toBe(2);
  await waitUntil('the slots are free', () => fixture.gateway.snapshot('hello')?.inFlight === 0);
  session.close();
});

test("an HTTP/2 client that resets its stream ends the app's, and frees the slot", async () => {
  const closed = Promise.withResolvers<number>();
  await using fixture = await withApp((stream) => {
    stream.respond({ ':status': 200 });
    stream.write('begin');
    stream.resume();
    stream.on('aborted', () => closed.resolve(stream.rstCode));
  });
  const session = http2Client(fixture);
  const stream = session.request({ ...authority, ':method': 'POST' });
  stream.on('error', () => {});
  stream.write('part');
  await once(stream, 'response');
  stream.destroy(new Error('enough'));
  expect(await closed.promise).not.toBe(0);
  await waitUntil('the slot is free', () => fixture.gateway.snapshot('hello')?.inFlight === 0);
  expect(fixture.requests).toHaveLength(1);
  session.close();
});

test('a crash breaks off what the session carried; the next request is served by a new one', async () => {
  await using fixture = await createWireFixture({
    program: () =>
      http2Program((stream, headers) => {
        if (headers[':path'] === '/hang') return;
        stream.respond({ ':status': 200 });
        stream.end('ok');
      }),
    target: { useHttp2: true },
    policy: { startBackoffBaseMs: 5 },
  });
  const get = (path: string) =>
    fixture.exchange(`POST ${path} HTTP/1.1\r\nHost: hello.test\r\nConnection: close\r\nContent-Length: 1\r\n\r\na`);
  expect(await get('/')).toMatch(/^HTTP\/1\.1 200 /);
  const hanging = get('/hang');
  await waitUntil('it is under way', () => fixture.gateway.snapshot('hello')?.inFlight === 1);
  fixture.crash(fixture.runtime.instances[0]!);
  expect(await hanging).toMatch(/^HTTP\/1\.1 502 /);
  expect(await get('/')).toMatch(/^HTTP\/1\.1 200 /);
});
