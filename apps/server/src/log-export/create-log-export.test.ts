import { once } from 'node:events';
import { mkdtempDisposableSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { Leases } from '@berth/control';
import { openTestDatabase } from '@berth/database/testing';
import { type Clock, createSilentLogger, createSystemClock } from '@berth/kit';
import { createFakeLogStore, waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { createLogExport } from './create-log-export.ts';

/** Times faster than the system's. */
const HURRY = 50;
const system = createSystemClock();
const clock: Clock = {
  ...system,
  monotonicMs: () => system.monotonicMs() * HURRY,
  sleep: (delayMs, signal) => system.sleep(delayMs / HURRY, signal),
};
const leases: Leases = {
  run: async (_name, work) => ({
    value: await work({ signal: new AbortController().signal, require: async () => {} }),
  }),
};

/** A platform with the deployment `shop`, and a receiver of its logs. */
async function createFixture() {
  const folder = mkdtempDisposableSync(path.join(tmpdir(), 'berth-log-export-'));
  const opened = await openTestDatabase(path.join(folder.path, 'berth.db'));
  const { db } = opened;
  await db
    .insertInto('accounts')
    .values({ id: 'acc_1', name: 'acc', plan: 'default', is_operator: 0, created_at: 1 })
    .execute();
  const deploy = async (name: string) => {
    const row = { name, account_id: 'acc_1', status: 'ready', settings: null, current_revision: null } as const;
    const rest = { environment_version: 0, last_deploy: null, created_at: Date.now(), updated_at: Date.now() };
    await db
      .insertInto('deployments')
      .values({ ...row, ...rest })
      .execute();
  };
  const logs = createFakeLogStore(Date.now);
  // What follows a text in protobuf can be a digit.
  const print = (deployment: string, ...messages: string[]) =>
    logs.append(
      { account: 'acc_1', deployment },
      messages.map((text) => ({ logName: 'stdout', severity: 'INFO', message: `${text}.` })),
    );
  const state = { answers: [] as number[], texts: [] as string[], headers: [] as unknown[] };
  const server = createServer(async (request, response) => {
    const text = gunzipSync(await buffer(request)).toString('latin1');
    const status = state.answers.shift() ?? 200;
    if (status === 200) state.texts.push(text);
    state.headers.push(request.headers['api-key']);
    response.writeHead(status).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/logs`;
  const open = () =>
    createLogExport({
      ...{ db, logs, clock, leases, logger: createSilentLogger() },
      receiver: { url, headers: { 'api-key': 'secret' } },
    });
  /** The printed lines that arrived, in their order. */
  const lines = () => state.texts.flatMap((text) => text.match(/line-[a-z]+-\d+(?=[. ])/g) ?? []);
  const positions = async () =>
    (await db.selectFrom('log_exports').select('deployment').execute()).map(({ deployment }) => deployment).sort();
  return {
    ...{ db, deploy, print, state, open, lines, positions },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await opened.close();
      folder[Symbol.dispose]();
    },
  };
}

test('what is logged from the first start on arrives in its order, and goes on after a restart where it ended', async () => {
  await using fixture = await createFixture();
  const { deploy, print, open, lines, positions, state } = fixture;
  await deploy('shop');
  print('shop', 'line-old-1');
  const first = open();
  first.start();
  await waitUntil('the log is followed', async () => (await positions()).length === 1);
  print('shop', 'line-a-1', 'line-a-2');
  await deploy('later');
  print('later', 'line-b-1');
  await waitUntil('all arrived', () => lines().length === 3);
  expect(lines().filter((line) => line.startsWith('line-a'))).toEqual(['line-a-1', 'line-a-2']);
  expect(new Set(state.headers)).toEqual(new Set(['secret']));
  expect(first.capability()).toMatchObject({ status: 'enforced' });
  await waitUntil('the position is written', async () => {
    const rows = await fixture.db.selectFrom('log_exports').selectAll().execute();
    return rows.every(({ exported_until: until }) => !until.startsWith('1970'));
  });
  await first.close();

  print('shop', 'line-a-3');
  const second = open();
  second.start();
  await waitUntil('the rest arrived', () => lines().length === 4);
  expect(lines().at(-1)).toBe('line-a-3');
  await second.close();
});

test('a receiver that is away gets everything later; what it refuses for good is counted', async () => {
  await using fixture = await createFixture();
  const { deploy, print, open, lines, state } = fixture;
  const logExport = open();
  logExport.start();
  await deploy('shop');
  state.answers = [503, 429, 401, 302];
  print('shop', 'line-a-1');
  await waitUntil('a failure is reported', () => logExport.capability().status === 'partial');
  await waitUntil('it arrived', () => lines().length === 1);
  await waitUntil('all is well again', () => logExport.capability().status === 'enforced');
  state.answers = [400];
  print('shop', 'line-a-2');
  await waitUntil('the refusal is reported', () => /answered 400.*1 refused/.test(logExport.capability().detail));
  print('shop', 'line-a-3');
  await waitUntil('the next arrived', () => lines().length === 2);
  expect(lines()).toEqual(['line-a-1', 'line-a-3']);
  await logExport.close();
});

test('many entries are sent in parts that receivers take', async () => {
  await using fixture = await createFixture();
  const { deploy, print, open, lines, state } = fixture;
  const logExport = open();
  logExport.start();
  await deploy('shop');
  const wanted = Array.from({ length: 30 }, (_, at) => `line-a-${at}`);
  print('shop', ...wanted.map((line) => `${line} ${'x'.repeat(256 * 1_024)}`));
  // Smaller than Berth's own limit.
  state.answers = [413];
  await waitUntil('all arrived', () => lines().length === 30);
  expect(lines()).toEqual(wanted);
  for (const text of state.texts) expect(text.length).toBeLessThanOrEqual(4 * 2 ** 20);
  await logExport.close();
});

test('a deployment that is gone is followed until it is silent', async () => {
  await using fixture = await createFixture();
  const { db, deploy, print, open, lines, positions } = fixture;
  const logExport = open();
  logExport.start();
  await deploy('shop');
  await waitUntil('it is followed', async () => (await positions()).length === 1);
  await db.deleteFrom('deployments').execute();
  print('shop', 'line-last-1');
  await waitUntil('its last entry arrived', () => lines().length === 1);
  await waitUntil('it is forgotten', async () => (await positions()).length === 0);
  await logExport.close();
});
