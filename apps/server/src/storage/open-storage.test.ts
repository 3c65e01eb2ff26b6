import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createIdSource, createSilentLogger, createSystemClock } from '@berth/kit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '../config/read-config.ts';
import { createShutdown } from '../context/shutdown.ts';
import { openStorage } from './open-storage.ts';

let folder: string;
const closing: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'berth-open-storage-'));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(flags: Readonly<Record<string, string>> = {}, listenPort = 65_535) {
  const reading = readConfig({ flags: { host: '127.0.0.1', ...flags }, environment: {}, workingFolder: folder });
  if ('faults' in reading) throw new Error(reading.faults.join());
  const logger = createSilentLogger();
  const shutdown = createShutdown(logger);
  closing.push(() => shutdown.run());
  const storage = await openStorage({
    config: reading.config,
    version: '1',
    environment: {},
    clock: createSystemClock(),
    ids: createIdSource(),
    logger,
    shutdown,
    workRoot: folder,
    listenPort,
    addresses: { storageUrl: 'https://storage.apps.example.com' },
    secrets: [Buffer.alloc(32, 7)],
  });
  const handler = storage.createHandler({ has: async () => true, noteChange() {} });
  return { storage, shutdown, serve: () => storage.serve(handler) };
}

/** Takes a port whose neighbor is free. */
async function occupy(port = 0): Promise<number> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as { readonly port: number }).port;
}

// Fails when the port beside the API's is asked for without another way: the last port has none beside it, and on a
// busy machine it is often taken.
test('without a port of its own it takes the next one, or any when that is none or taken', async () => {
  const last = await open({}, 65_535);
  expect(last.storage.port()).toBe(0);
  await last.serve();
  expect(last.storage.port()).toBeGreaterThan(0);

  const taken = await occupy();
  const beside = await open({}, taken - 1);
  await beside.serve();
  expect(beside.storage.port()).not.toBe(taken);
  expect(beside.storage.port()).toBeGreaterThan(0);
});

// Fails when a configured port that is taken is replaced by another one: the operator's proxy leads to the first.
test('a configured port that is taken is an error', async () => {
  const taken = await occupy();
  const { serve } = await open({ 'storage-port': String(taken) });
  await expect(serve()).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining(`Port ${taken}`) });
});

test.each([
  [{}, /^http:\/\/localhost:\d+$/],
  [{ domain: 'apps.example.com' }, /^https:\/\/storage\.apps\.example\.com$/],
  // Fails when the slash stays: a URL with two is another path, whose signature is wrong.
  [{ domain: 'apps.example.com', 'storage-url': 'https://files.example.com//' }, /^https:\/\/files\.example\.com$/],
  [{ 'storage-url': 'http://10.0.0.5:9000' }, /^http:\/\/10\.0\.0\.5:9000$/],
])('with %j clients are sent to %s', async (flags, url) => {
  const { storage, serve } = await open(flags);
  await serve();
  expect(storage.storageUrl()).toMatch(url);
});

test('it serves what is signed with its secret, from the work root, until it is closed', async () => {
  const { storage, serve, shutdown } = await open();
  await serve();
  const place = { account: 'acc', storageId: 'v.1' };
  await storage.store.folders?.ensure(place, '');
  expect(existsSync(path.join(folder, 'volumes/acc/v.1'))).toBe(true);
  const url = `${storage.storageUrl().replace('localhost', '127.0.0.1')}/v1/objects/acc/v.1/file`;
  const unsigned = await fetch(url, { headers: { connection: 'close' } });
  expect([unsigned.status, unsigned.headers.has('x-request-id')]).toEqual([403, true]);
  await shutdown.run();
  await expect(fetch(url)).rejects.toThrow();
});
