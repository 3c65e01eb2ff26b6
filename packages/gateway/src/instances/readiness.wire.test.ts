import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createSystemClock } from '@berth/kit';
import { expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../port/gateway-policy.ts';
import { testTarget } from '../testing/test-target.ts';
import { createWireFixture, httpProgram, type WireFixtureOptions } from '../testing/wire-fixture.ts';
import { createUpstreams } from '../upstream/create-upstream.ts';
import { createHttpProbe } from './http-probe.ts';
import { probeHttp2 } from './probe-http2.ts';

/** Starts a server on a free port for the duration of a test. */
async function listening(server: Server): Promise<{ readonly host: string; readonly port: number } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    host: '127.0.0.1',
    port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

const greet: RequestListener = (_request, response) => response.end('hello');

test.each([
  ['http2', () => createHttp2Server() as unknown as Server],
  ['http1', () => createHttpServer(greet)],
  ['http1', () => createServer((socket) => socket.on('data', () => socket.end()).on('error', () => {}))],
  ['http1', () => createServer((socket) => socket.on('data', () => socket.resetAndDestroy()).on('error', () => {}))],
  ['silent', () => createServer((socket) => socket.resume().on('error', () => {}))],
] as const)('the protocol of a server is told by its answer to the preface: %s', async (spoken, makeServer) => {
  await using server = await listening(makeServer());
  expect(await probeHttp2(server, spoken === 'silent' ? 50 : 5_000)).toBe(spoken);
});

const serve = (options: Pick<WireFixtureOptions, 'program'>) => createWireFixture({ ...options, target: null });
const signal = new AbortController().signal;

test('an instance that speaks HTTP/1.1 only is served over it although HTTP/2 is set, and the deploy says so', async () => {
  // Fails when the upstream uses the configured protocol instead of the probed one: every request got a 502.
  await using fixture = await serve({
    program: () => httpProgram((request, response) => response.end(`${request.httpVersion} ${request.url}`)),
  });
  const progress: string[] = [];
  const target = testTarget({ useHttp2: true });
  await fixture.gateway.activate(target, { signal, onProgress: (message) => progress.push(message) });
  expect(await fixture.exchange('GET /a HTTP/1.1\r\nHost: hello.test\r\nConnection: close\r\n\r\n')).toMatch(
    /^HTTP\/1\.1 200 [\s\S]*1\.1 \/a$/,
  );
  expect(progress[1]).toMatch(/^The service speaks HTTP\/1\.1 on \$PORT \(\d+\), not HTTP\/2 without TLS: /);
});

test('one that speaks HTTP/2 is spoken to in it, health checks included', async () => {
  const asked: string[] = [];
  await using fixture = await serve({
    program: () =>
      createHttp2Server((request, response) => {
        asked.push(`${request.httpVersion} ${request.method} ${request.url} ${request.authority}`);
        response.end('two');
      }),
  });
  const health = { path: '/up?now', intervalMs: 60_000, timeoutMs: 5_000 };
  await fixture.gateway.activate(testTarget({ useHttp2: true, health }), { signal });
  expect(asked).toEqual(['2.0 GET /up?now hello.test']);
});

test('a check takes the status alone, and says how an answer failed', async () => {
  const probe = createHttpProbe(createSystemClock(), createUpstreams(createSystemClock(), DEFAULT_POLICY));
  const question = { method: 'GET', path: '/x', host: 'a.test', timeoutMs: 5_000 } as const;
  await using server = await listening(
    createHttpServer((request, response) => {
      expect([request.headers.host, request.headers['user-agent']]).toEqual(['a.test', 'Berth-Health-Check/1.0']);
      // Its body never ends.
      response.writeHead(503).write('a');
    }),
  );
  const target = { ...server, useHttp2: false };
  expect(await probe(target, question)).toEqual({ status: 503 });
  await using silent = await listening(createServer((socket) => socket.resume().on('error', () => {})));
  expect(await probe({ ...silent, useHttp2: false }, { ...question, timeoutMs: 50 })).toEqual({
    problem: 'did not respond within 0.05 s',
    isTimeout: true,
  });
  await using closing = await listening(createServer((socket) => socket.on('data', () => socket.end())));
  expect(await probe({ ...closing, useHttp2: false }, question)).toEqual({
    problem: 'closed the connection without a response',
  });
});
