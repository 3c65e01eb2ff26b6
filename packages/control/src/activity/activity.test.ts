import { createAccountFixture } from '@berth/accounts/testing';
import type { RequestRecord } from '@berth/gateway';
import { type AccountId, createSilentLogger } from '@berth/kit';
import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import { createRequestActivity } from './create-activity.ts';
import { registerGetActivity } from './routes/get-activity.ts';
import { createStepCounts } from './step-counts.ts';

const NOON = Date.parse('2026-11-21T12:00:30.000Z');
const MINUTE_MS = 60_000;

function createActivity(rows: () => Promise<string> = async () => '[]') {
  const clock = createFakeClock(NOON);
  const queries: string[] = [];
  const sql = {
    run: (account: string, query: string) => {
      queries.push(`${account}: ${query}`);
      return rows();
    },
  };
  const activity = createRequestActivity({ clock, logger: createSilentLogger(), sql });
  const request = (deployment: string, status = 200, account = 'a', latencyMs = 5) =>
    activity.gatewayListener.onRequest({ account, deployment, status, latencyMs } as RequestRecord);
  const list = (account = 'a', window: '1h' | '24h' = '1h') => activity.list(account as AccountId, window);
  return { activity, clock, queries, request, list };
}

/** What is not zero, by place. */
const filled = (counts: readonly number[]) =>
  Object.fromEntries(counts.map((count, i) => [i, count]).filter(([, count]) => count));

test('requests and errors are counted by minute, and are forgotten after an hour', () => {
  const { clock, request, list } = createActivity();
  for (const status of [200, 404, 499, 500, 503]) request('api', status);
  request('web');
  clock.advance(2 * MINUTE_MS);
  request('api');
  const { deployments, ...rest } = list();
  expect(rest).toEqual({ start: '2026-11-21T11:03:00.000Z', step_seconds: 60, is_complete: false });
  expect(deployments.map(({ name }) => name)).toEqual(['api', 'web']);
  expect(deployments[0]?.requests).toHaveLength(60);
  expect(filled(deployments[0]?.requests ?? [])).toEqual({ 57: 5, 59: 1 });
  expect(filled(deployments[0]?.errors ?? [])).toEqual({ 57: 2 });
  clock.advance(58 * MINUTE_MS);
  expect(list().deployments.map(({ name, requests }) => [name, filled(requests)])).toEqual([['api', { 1: 1 }]]);
  const day = list('a', '24h').deployments;
  expect(day.map(({ name, requests }) => [name, requests.length, filled(requests)])).toEqual([
    ['api', 96, { 91: 6 }],
    ['web', 96, { 91: 1 }],
  ]);
});

// Fails when latencies of more than an hour ago are kept, or those of WebSockets are counted.
test('p95 is that of the last hour, to within 12 %', () => {
  const { clock, request, list } = createActivity();
  const p95 = () => list('a', '24h').deployments.find(({ name }) => name === 'api')?.p95_ms;
  for (let i = 0; i < 19; i++) request('api', 200, 'a', 0.2);
  expect(p95()).toBe(1);
  request('api', 200, 'a', 30_000);
  expect(p95()).toBe(1);
  request('api', 101, 'a', 3_600_000);
  expect(p95()).toBe(1);
  for (let i = 0; i < 20; i++) request('api', 200, 'a', 800);
  expect(p95()).toBeGreaterThan(800 / 1.12);
  expect(p95()).toBeLessThan(800 * 1.12);
  clock.advance(65 * MINUTE_MS);
  for (let i = 0; i < 20; i++) request('api', 200, 'a', 100);
  clock.advance(10 * MINUTE_MS);
  expect(p95()).toBeLessThan(100 * 1.13);
  clock.advance(80 * MINUTE_MS);
  expect(p95()).toBe(null);
});

test('an account sees its own alone', () => {
  const { request, list } = createActivity();
  request('api', 200, 'a');
  request('secret', 200, 'b');
  expect(list('a').deployments.map(({ name }) => name)).toEqual(['api']);
  expect(list('c').deployments).toEqual([]);
});

test('what was before the start is counted once, out of the log, and tried again when that fails', async () => {
  const past = [
    { name: 'api', start_ms: NOON - 10 * MINUTE_MS, requests: 7, errors: 2 },
    { name: 'old', start_ms: NOON - 600 * MINUTE_MS, requests: 3, errors: 0 },
  ];
  let fails = true;
  const { clock, queries, request, list } = createActivity(async () => {
    if (fails) throw new Error('not now');
    return JSON.stringify(past);
  });
  request('api');
  expect(list().is_complete).toBe(false);
  await Promise.resolve();
  await new Promise(setImmediate);
  list();
  expect(queries).toHaveLength(1);
  fails = false;
  clock.advance(MINUTE_MS);
  list();
  await expect.poll(() => list().is_complete).toBe(true);
  expect(queries).toHaveLength(2);
  expect(queries[1]).toContain("timestamp < TIMESTAMPTZ '2026-11-21T12:00:30.000Z'");
  const [api] = list().deployments;
  expect([filled(api?.requests ?? []), filled(api?.errors ?? [])]).toEqual([{ 48: 7, 58: 1 }, { 48: 2 }]);
  expect(list('a', '24h').deployments.map(({ name }) => name)).toEqual(['api', 'old']);
});

test('closing ends what counts', async () => {
  const { activity, list } = createActivity(
    () => new Promise((_resolve, reject) => setImmediate(() => reject(new Error('ended')))),
  );
  list();
  await activity.close();
  await activity.close();
  expect(list().is_complete).toBe(false);
});

test('a thousand deployments are one small answer, for whoever may read', async () => {
  const { activity, request } = createActivity();
  await using fixture = await createAccountFixture({ extend: (api) => registerGetActivity(api, { activity }) });
  const { call, other } = fixture;
  for (let i = 0; i < 1_000; i++) request(`app-${i}`, 200, other.account.id);
  const { status, body } = await call('GET', '/v1/activity', { key: other.key.secret });
  expect([status, body.deployments.length, body.deployments[0].requests.length]).toEqual([200, 1_000, 60]);
  expect(JSON.stringify(body).length).toBeLessThan(400_000);
  expect((await call('GET', '/v1/activity', { key: fixture.operatorKey })).body.deployments).toEqual([]);
  expect((await call('GET', '/v1/activity?window=1y', { key: other.key.secret })).status).toBe(422);
  expect((await call('GET', '/v1/activity')).status).toBe(401);
});

test('counts of steps: gaps are zero, what is too old is passed over', () => {
  const counts = createStepCounts(3);
  expect(counts.read(10).requests).toEqual([0, 0, 0]);
  counts.add(10, 1, 0);
  counts.add(12, 2, 1);
  counts.add(11, 4, 0);
  counts.add(9, 9, 9);
  expect(counts.read(12)).toEqual({ requests: [1, 4, 2], errors: [0, 0, 1] });
  expect(counts.read(13).requests).toEqual([4, 2, 0]);
  counts.add(14, 8, 0);
  expect(counts.read(14).requests).toEqual([2, 0, 8]);
  counts.add(100, 1, 1);
  expect(counts.read(100)).toEqual({ requests: [0, 0, 1], errors: [0, 0, 1] });
});
