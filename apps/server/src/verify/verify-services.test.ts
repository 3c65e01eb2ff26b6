import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openDatabase } from '@berth/database';
import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import { type VerifiedService, verifyServices } from './verify-services.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A platform whose services answer as told; `null` stands for one that has no serving revision. */
async function setup(services: Readonly<Record<string, Answer | null>>, status: 'ready' | 'deleting' = 'ready') {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-verify-'));
  const { db, close } = await openDatabase({ file: path.join(folder, 'berth.db') });
  await db
    .insertInto('accounts')
    .values({ id: 'acc', name: 'acc', plan: 'p', is_operator: 0, created_at: 0 })
    .execute();
  for (const [name, answer] of Object.entries(services)) {
    const row = { name, account_id: 'acc', settings: null, environment_version: 0, created_at: 0, updated_at: 0 };
    await db
      .insertInto('deployments')
      .values({ ...row, status, current_revision: answer && `${name}-1` })
      .execute();
  }
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const host = request.headers.host ?? '';
    asked.push(`${request.method} ${host}${request.url}`);
    services[host.split('.')[0] ?? '']?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const results: VerifiedService[] = [];
  return {
    asked,
    close: () => new Promise((resolve) => server.close(resolve)),
    async verify() {
      await verifyServices({ db, port, clock: createFakeClock(), onResult: (result) => void results.push(result) });
      return results.sort((a, b) => a.deployment.localeCompare(b.deployment));
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await close();
      rmSync(folder, { recursive: true });
    },
  };
}

const text =
  (status: number, body = ''): Answer =>
  (_request, response) =>
    void response.writeHead(status).end(body);

// Fails when any 2xx is asked for: many services have nothing at their root and serve all the same.
test('a service serves when it answers below 500, and says why it does not above', async () => {
  await using platform = await setup({
    fine: text(200, 'hello'),
    moved: text(302),
    missing: text(404, 'no such page'),
    broken: text(500, '  the database is missing\n'),
    starting: text(503, 'y'.repeat(2_000)),
    asleep: null,
  });
  const answer = { account: 'acc', ms: 0, reason: '' };
  expect(await platform.verify()).toEqual([
    { ...answer, deployment: 'broken', serves: false, status: 500, reason: 'the database is missing' },
    { ...answer, deployment: 'fine', serves: true, status: 200 },
    { ...answer, deployment: 'missing', serves: true, status: 404 },
    { ...answer, deployment: 'moved', serves: true, status: 302 },
    // Fails when the reason is as long as the service likes.
    { ...answer, deployment: 'starting', serves: false, status: 503, reason: 'y'.repeat(500) },
  ]);
  expect(platform.asked.sort()).toEqual(
    ['broken', 'fine', 'missing', 'moved', 'starting'].map((name) => `GET ${name}.localhost/`),
  );
});

// Fails when the body of a good answer is read to its end: an event stream has none.
test('an answer that never ends is an answer', async () => {
  await using platform = await setup({
    stream(_request, response) {
      response.writeHead(200);
      response.write(': open\n\n');
    },
  });
  expect(await platform.verify()).toMatchObject([{ deployment: 'stream', serves: true, status: 200 }]);
});

// Fails when an error ends the round: the services behind it would never be looked at.
test('a service that breaks its connection is reported beside the others', async () => {
  await using platform = await setup({
    cut: (request) => void request.socket.destroy(),
    half(_request, response) {
      response.writeHead(500, { 'Content-Length': 100 });
      response.write('half', () => response.destroy());
    },
    well: text(200),
  });
  expect(await platform.verify()).toMatchObject([
    { deployment: 'cut', serves: false, status: 0, reason: expect.stringMatching(/hang up|ECONNRESET/) },
    { deployment: 'half', serves: false, status: 0, reason: expect.stringMatching(/abort/) },
    { deployment: 'well', serves: true, status: 200, reason: '' },
  ]);
});

test('a platform that does not listen has no service that serves', async () => {
  await using platform = await setup({ one: text(200), two: text(200) });
  await platform.close();
  const results = await platform.verify();
  expect(results.map(({ serves, status }) => ({ serves, status }))).toEqual([
    { serves: false, status: 0 },
    { serves: false, status: 0 },
  ]);
  expect(results[0]?.reason).toContain('ECONNREFUSED');
});

// Fails without the condition on the status: what is being deleted would count as lost in a restore.
test('what is being deleted is not asked', async () => {
  await using platform = await setup({ leaving: text(200) }, 'deleting');
  expect(await platform.verify()).toEqual([]);
  expect(platform.asked).toEqual([]);
});

// Fails when all services are started at once: on a small machine none of them would come up in time.
test('four are asked at a time', async () => {
  const waiting: (() => void)[] = [];
  const wait: Answer = (_request, response) => void waiting.push(() => void response.end());
  await using platform = await setup(Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`s${n}`, wait])));
  const done = platform.verify();
  await expect.poll(() => waiting.length).toBe(4);
  waiting.shift()?.();
  await expect.poll(() => platform.asked.length).toBe(5);
  expect(waiting).toHaveLength(4);
  while (platform.asked.length < 6 || waiting.length > 0) {
    waiting.shift()?.();
    await new Promise(setImmediate);
  }
  expect(await done).toHaveLength(6);
});
