import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createIdSource, createSystemClock } from '@berth/kit';
import { createFakeRuntime } from '@berth/testkit';
import { expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../port/gateway-policy.ts';
import { testTarget } from '../testing/test-target.ts';
import { createUpstreams } from '../upstream/create-upstream.ts';
import { createBusyWatch } from './busy-watch.ts';
import { createHttpProbe } from './http-probe.ts';
import { createInstanceEvents } from './instance-events.ts';
import { createReadiness } from './readiness.ts';
import { ServiceInstance } from './service-instance.ts';

// Holds the gateway to the contract: verifies('busy.request')

/** Asks a program on a socket, and returns whether it counts as busy. */
async function ask(server: Server, { url = 'https://shop.test', useHttp2 = false } = {}): Promise<boolean> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clock = createSystemClock();
  const { port } = server.address() as AddressInfo;
  const target = testTarget({ url, useHttp2 });
  const policy = { ...DEFAULT_POLICY, busyTimeoutMs: 200 };
  const http = createHttpProbe(clock, createUpstreams(clock, policy));
  const probes = { http, http2: async () => 'http2' as const, port: async () => true };
  const events = createInstanceEvents({ clock, events: { onRequest() {}, onInstance() {}, onOutput() {} } }, target);
  const instance = new ServiceInstance(createIdSource().next('inst'), 'request', '', clock.monotonicMs());
  instance.readyAtMs = clock.monotonicMs();
  const runtime = createFakeRuntime({ run: () => ({ port }) });
  const { artifact, env, memoryBytes, cpuMillis, mounts, account, deployment, revision } = target;
  const spec = { artifact, env, memoryBytes, cpuMillis, mounts, revision, port: 8080, output: () => {} };
  instance.handle = await runtime.start({ ...spec, instanceId: instance.id, owner: { account, deployment } });
  instance.readiness = createReadiness({ clock, probes }, target, instance.handle, () => {});
  await createBusyWatch({ clock, policy, probes }, target, events).ask(instance);
  server.close();
  return instance.isBusy;
}

const answer =
  (body: string, status = 200, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_request, response) =>
    response.writeHead(status, headers).end(body);

// Fails when the question goes to localhost: Django refuses unknown hosts, and redirects plain HTTP.
test('the question names the service’s own address, and who asks', async () => {
  const seen: string[] = [];
  const isBusy = await ask(
    createServer(({ method, url, headers }, response) => {
      const { host, accept } = headers;
      seen.push(`${method} ${url} ${host} ${headers['user-agent']} ${accept} ${headers['x-forwarded-proto']}`);
      response.end('{"busy":true}');
    }),
  );
  const words = 'GET /.well-known/berth/busy shop.test Berth-Busy-Check/1.0 application/json https';
  expect([isBusy, seen]).toEqual([true, [words]]);
});

// Fails when the probe gives up before the body is whole, or reads one without end.
test.each([
  [
    'in pieces',
    createServer((_request, response) => void response.write('{"bu', () => response.end('sy":true}'))),
    true,
  ],
  ['of 4 KB', createServer(answer(`{"busy":true}${' '.repeat(4_083)}`)), true],
  ['of more', createServer(answer(`{"busy":true}${' '.repeat(4_084)}`)), false],
  ['without end', createServer((_request, response) => void response.write('{"busy":true}')), false],
  ['that moved', createServer(answer('{"busy":true}', 302, { location: '/elsewhere' })), false],
])('an answer %s', async (_what, server, expected) => {
  expect(await ask(server)).toBe(expected);
  server.closeAllConnections();
});

// Fails when the question is always sent over HTTP/1.1.
test('one that speaks HTTP/2 is asked in it', async () => {
  const server = createHttp2Server((request, response) =>
    response.end(JSON.stringify({ busy: request.httpVersion === '2.0' && request.authority === 'shop.test' })),
  );
  expect(await ask(server as unknown as Server, { useHttp2: true })).toBe(true);
});
