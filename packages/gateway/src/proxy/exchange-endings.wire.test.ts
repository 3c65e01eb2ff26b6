import { once } from 'node:events';
import type { Socket } from 'node:net';
import { waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { body, get, raw, recorded, send, withApp } from '../testing/wire-exchange.ts';
import { createWireFixture, httpProgram } from '../testing/wire-fixture.ts';

test('a client that leaves the queue is recorded as 499 and starts nothing for itself', async () => {
  const opened = Promise.withResolvers<void>();
  let calls = 0;
  await using fixture = await createWireFixture({
    async program() {
      await opened.promise;
      return httpProgram((_request, response) => {
        calls++;
        response.end();
      });
    },
  });
  const socket = await fixture.connect();
  socket.write(get('/'));
  await waitUntil('it waits', () => fixture.gateway.snapshot('hello')?.queued === 1);
  socket.destroy();
  const record = await recorded(fixture);
  expect(record.status).toBe(499);
  expect(record.instance).toBeUndefined();
  await waitUntil('it has left', () => fixture.gateway.snapshot('hello')?.queued === 0);
  opened.resolve();
  await waitUntil('it has started', () => fixture.events.some(({ kind }) => kind === 'ready'));
  expect(calls).toBe(0);
});

test("a client that leaves in the middle aborts the instance's work and frees the slot", async () => {
  const aborted = Promise.withResolvers<void>();
  await using fixture = await withApp((_request, response) => {
    response.write('begin');
    response.once('close', () => aborted.resolve());
  });
  const socket = await fixture.connect();
  socket.write(get('/'));
  await once(socket, 'data');
  socket.destroy();
  await aborted.promise;
  expect(await recorded(fixture)).toMatchObject({ status: 200 });
  await waitUntil('its slot is free', () => fixture.gateway.snapshot('hello')?.inFlight === 0);
});

test('no answer within the timeout is 504; the slot is held until the instance has ended', async () => {
  let finish = () => {};
  await using fixture = await withApp(
    (_request, response) => {
      finish = () => response.end('late');
    },
    { target: { timeoutMs: 300, concurrency: 1, maxInstances: 1 } },
  );
  const answer = await fixture.exchange(get('/'));
  expect(answer).toMatch(/^HTTP\/1\.1 504 /);
  expect(answer).toContain('berth-reason: request_timeout');
  expect(answer).toContain('Retry-After: 1');
  expect(await recorded(fixture)).toMatchObject({ status: 504 });
  expect(fixture.gateway.snapshot('hello')).toMatchObject({ inFlight: 1 });
  finish();
  await waitUntil('the slot is free', () => fixture.gateway.snapshot('hello')?.inFlight === 0);
  expect(fixture.runtime.running).toHaveLength(1);
});

test('a slot whose instance never ends is taken back', async () => {
  const closed = Promise.withResolvers<void>();
  await using fixture = await withApp((request) => request.socket.once('close', () => closed.resolve()), {
    target: { timeoutMs: 200 },
    policy: { slotHoldMs: 100 },
  });
  await fixture.exchange(get('/'));
  await closed.promise;
  await waitUntil('the slot is free', () => fixture.gateway.snapshot('hello')?.inFlight === 0);
});

test('a response that outlasts the timeout is broken off', async () => {
  await using fixture = await withApp((_request, response) => void response.write('begin'), {
    target: { timeoutMs: 300 },
  });
  const answer = await fixture.exchange(get('/'));
  expect(body(answer)).toBe('5\r\nbegin\r\n');
  expect(await recorded(fixture)).toMatchObject({ status: 200 });
});

test('a broken response is a reset for a client that could not tell otherwise', async () => {
  await using fixture = await createWireFixture({
    program: raw((socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n')),
  });
  const socket = await fixture.connect();
  socket.write('GET / HTTP/1.0\r\nHost: hello.test\r\n\r\n');
  socket.resume();
  const [error] = await once(socket, 'error');
  expect(error).toMatchObject({ code: 'ECONNRESET' });
});

test.each([
  ['upstream_protocol', (socket: Socket) => socket.end('SSH-2.0-x\r\n\r\n')],
  [
    'upstream_protocol',
    (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
  ],
  ['upstream_reset', (socket: Socket, read: string) => void (read.includes('POST') && socket.destroy())],
])('an instance that gives no answer is 502: %s', async (reason, answer) => {
  await using fixture = await createWireFixture({ program: raw(answer) });
  const text = await fixture.exchange(
    'POST / HTTP/1.1\r\nHost: hello.test\r\nConnection: close\r\nContent-Length: 1\r\n\r\na',
  );
  expect(text).toMatch(/^HTTP\/1\.1 502 /);
  expect(text).toContain(`berth-reason: ${reason}`);
  expect(text).toContain('berth logs hello');
  expect(await recorded(fixture)).toMatchObject({ status: 502 });
  await waitUntil('its slot is free', () => fixture.gateway.snapshot('hello')?.inFlight === 0);
});

test('a request is sent once, whatever its method, when a new connection breaks before an answer', async () => {
  // Fails when a reset of a new connection is retried: a GET that crashed its program would run twice.
  const sent: string[] = [];
  await using fixture = await createWireFixture({
    program: raw((socket, read) => {
      sent.push(read.slice(0, read.indexOf(' HTTP')));
      if (read.startsWith('GET /begun')) socket.end('HTTP/1.1 200 OK\r\n');
      else socket.destroy();
    }),
  });
  const lines = ['GET /a', 'HEAD /a', 'PUT /a', 'DELETE /a', 'POST /a', 'GET /begun'];
  for (const line of lines) {
    const answer = await fixture.exchange(`${line} HTTP/1.1\r\nHost: hello.test\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 502 /);
  }
  expect(sent).toEqual(lines);
});

test('an idempotent request on a kept connection that the instance closes is sent again, once', async () => {
  // Fails without retries: some requests to an instance that closes idle connections would get a 502.
  const sent: string[] = [];
  const served = new Set<Socket>();
  await using fixture = await createWireFixture({
    program: raw((socket, read) => {
      const line = read.slice(Math.max(0, read.lastIndexOf(' /') - 4), read.lastIndexOf(' HTTP')).trim();
      sent.push(line);
      if (served.has(socket) || line === 'GET /never') socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      served.add(socket);
    }),
  });
  const ask = async (line: string) => {
    const answer = await fixture.exchange(`${line} HTTP/1.1\r\nHost: hello.test\r\nConnection: close\r\n\r\n`);
    return Number(answer.slice(9, 12));
  };
  expect([await ask('GET /1'), await ask('GET /2')]).toEqual([200, 200]);
  // These requests reuse the connection of the retry.
  expect(await ask('POST /3')).toBe(502);
  expect([await ask('GET /4'), await ask('GET /never')]).toEqual([200, 502]);
  expect(sent).toEqual(['GET /1', 'GET /2', 'GET /2', 'POST /3', 'GET /4', 'GET /never', 'GET /never']);
});

test('a request whose body has been read is not repeated', async () => {
  let connections = 0;
  await using fixture = await createWireFixture({
    program: raw((socket, read) => {
      if (!read.endsWith('abc')) return;
      connections++;
      socket.destroy();
    }),
  });
  const put = 'PUT / HTTP/1.1\r\nHost: hello.test\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc';
  expect(await fixture.exchange(put)).toMatch(/^HTTP\/1\.1 502 /);
  expect(connections).toBe(1);
});

test('a crash answers those under way with 502 or a reset, and the next request is served by a new instance', async () => {
  const underWay = new Set<string | undefined>();
  await using fixture = await withApp(
    (request, response) => {
      if (request.url === '/ok') {
        response.end('ok');
        return;
      }
      if (request.url === '/begun') response.write('begin');
      underWay.add(request.url);
    },
    { policy: { startBackoffBaseMs: 10 } },
  );
  await fixture.exchange(get('/ok'));
  const begun = fixture.exchange(get('/begun'));
  const waiting = fixture.exchange(get('/x').replace('GET', 'POST'));
  await waitUntil('both are under way', () => underWay.size === 2);
  fixture.crash(fixture.runtime.instances[0]!);
  expect(body(await begun)).toBe('5\r\nbegin\r\n');
  expect(await waiting).toMatch(/^HTTP\/1\.1 502 /);
  expect(await fixture.exchange(get('/ok'))).toMatch(/^HTTP\/1\.1 200 /);
  expect(fixture.runtime.instances).toHaveLength(2);
  expect(fixture.events.map(({ kind }) => kind)).toContain('crashed');
});

test('a request for an instance that has just died waits for the next one, its body with it', async () => {
  await using fixture = await withApp(
    (request, response) => {
      let text = '';
      request.on('data', (chunk) => {
        text += chunk;
      });
      request.on('end', () => response.end(text));
    },
    { policy: { startBackoffBaseMs: 10 } },
  );
  await fixture.exchange(get('/'));
  const [first] = fixture.runtime.instances;
  // The port is closed, and the gateway does not know yet that the instance has ended.
  const server = fixture.runtime.instances[0]!;
  fixture.shut(server);
  const answer = fixture.exchange(
    'POST / HTTP/1.1\r\nHost: hello.test\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello',
  );
  await waitUntil('it waits', () => fixture.gateway.snapshot('hello')?.queued === 1);
  fixture.crash(first!);
  expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(body(await answer)).toContain('hello');
});

test('a client that is answered before its body is in sees the answer', async () => {
  await using fixture = await createWireFixture({ program: raw(() => {}), target: null });
  const { request, response } = send(fixture, { method: 'POST', headers: { 'content-length': String(8 * 2 ** 20) } });
  request.end(Buffer.alloc(8 * 2 ** 20));
  const answer = await response;
  expect(answer.statusCode).toBe(404);
  answer.resume();
  await once(answer, 'end');
});

test('an instance may answer before it has read the body; the client sees the answer and may go on', async () => {
  await using fixture = await createWireFixture({
    program: raw((socket, read) => {
      if (read.includes('Content-Length: 8388608')) {
        // The instance stops reading, so that the gateway applies backpressure to the client before the answer arrives.
        socket.pause();
        setTimeout(() => socket.end('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n'), 150);
      } else if (read.startsWith('GET /next')) socket.end('HTTP/1.1 204 Next\r\n\r\n');
    }),
  });
  const socket = await fixture.connect();
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.write(`POST / HTTP/1.1\r\nHost: hello.test\r\nContent-Length: ${8 * 2 ** 20}\r\n\r\n`);
  socket.write(Buffer.alloc(8 * 2 ** 20));
  await waitUntil('it is answered', () => answer.includes(' 413 '));
  socket.write(get('/next'));
  await once(socket, 'close');
  expect(answer).toContain(' 204 ');
});

test('session affinity: a client comes back to the instance it had', async () => {
  await using fixture = await createWireFixture({
    program: () => httpProgram((_request, response) => response.end()),
    target: { sessionAffinity: true },
  });
  const first = await fixture.exchange(get('/'));
  const cookie = /Set-Cookie: (berth_affinity=(\S+?)); (.*)\r\n/.exec(first);
  expect(cookie?.[3]).toBe('Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax');
  expect(cookie?.[2]).toMatch(new RegExp(`^${fixture.runtime.instances[0]?.instanceId}\\.`));
  expect(await fixture.exchange(get('/', `Cookie: a=b; ${cookie?.[1]}\r\n`))).not.toContain('Set-Cookie');
  expect(await fixture.exchange(get('/', `Cookie: ${cookie?.[1]}x\r\n`))).toContain('Set-Cookie: berth_affinity=');
});

test('closing answers 503 and closes the connection', async () => {
  await using fixture = await withApp((_request, response) => response.end());
  await fixture.exchange(get('/'));
  await fixture.gateway.close({ drainMs: 0 });
  const answer = await fixture.exchange('GET / HTTP/1.1\r\nHost: hello.test\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1\.1 503 /);
  expect(answer).toContain('Connection: close');
  expect(answer).toContain('Retry-After');
  expect(fixture.runtime.running).toEqual([]);
});
