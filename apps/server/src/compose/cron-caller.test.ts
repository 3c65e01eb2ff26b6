import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TIMEOUT_HEADER } from '@berth/gateway';
import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import { createCronCaller } from './cron-caller.ts';

async function serve(listener: RequestListener, host = '127.0.0.1') {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const caller = (port: number, host = 'localhost') =>
  createCronCaller({
    clock: createFakeClock(),
    host,
    port,
    gatewaySecret: new Uint8Array(32),
    urlOf: (name) => `https://${name}.apps.example`,
  });

const call = {
  deployment: 'shop',
  token: 'token',
  attempt: 2,
  scheduledAtMs: Date.UTC(2026, 0, 1, 5),
  signal: new AbortController().signal,
};

test('asks the plain port for the service by its host', async () => {
  let seen: IncomingMessage | undefined;
  await using server = await serve((request, response) => {
    seen = request;
    response.writeHead(202).end('done');
  });
  for (const host of ['localhost', '0.0.0.0', '127.0.0.1']) {
    expect(await caller(server.port, host)(call)).toBe(202);
  }
  expect(seen).toMatchObject({ method: 'POST', url: '/cron' });
  expect(seen?.headers).toMatchObject({
    host: 'shop.apps.example',
    'content-length': '0',
    'x-cron-token': 'token',
    'x-cron-attempt': '2',
    'x-cron-scheduled-time': '2026-01-01T05:00:00.000Z',
    [TIMEOUT_HEADER]: expect.stringMatching(/^1800000\.\d+\.[\w-]{43}$/),
  });
});

test('an answer that breaks off is none', async () => {
  await using server = await serve((_request, response) => {
    response.writeHead(200, { 'Content-Length': 100 });
    response.write('half', () => response.destroy());
  });
  await expect(caller(server.port)(call)).rejects.toThrow();
});

test('nobody there is an error, and so is a call that is broken off', async () => {
  const gone = await serve(() => {});
  await gone[Symbol.asyncDispose]();
  await expect(caller(gone.port)(call)).rejects.toThrow('ECONNREFUSED');
  await using server = await serve(() => {});
  const stop = new AbortController();
  const broken = caller(server.port)({ ...call, signal: stop.signal });
  stop.abort();
  await expect(broken).rejects.toThrow();
});
