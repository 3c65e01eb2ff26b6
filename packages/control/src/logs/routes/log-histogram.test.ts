import type { LogHistogram } from '@berth/contract';
import type { LogStore } from '@berth/logstore';
import { createFakeClock, createFakeLogStore } from '@berth/testkit';
import { expect, test } from 'vitest';
import { createLogRoutes, type LogRoutes, SHOP } from '../testing/log-routes-fixture.ts';

const PATH = '/v1/deployment/logs/histogram';
const START = '2026-11-21T12:00:00.000Z';
const START_MS = Date.parse(START);

async function histogram(routes: LogRoutes, request: object): Promise<LogHistogram> {
  const response = await routes.call(PATH, { json: { deployment_name: 'shop', since: START, ...request } });
  expect(response.status).toBe(200);
  return (await response.json()) as LogHistogram;
}

test('entries are counted by time and severity, of those that the filter finds', async () => {
  const clock = createFakeClock(START_MS - 1_000);
  await using routes = createLogRoutes({ clock });
  const print = (message: string, severity: 'INFO' | 'ERROR' = 'INFO') =>
    routes.store.append(SHOP, [{ logName: 'stdout', severity, message }]);
  await print('before');
  clock.advance(1_000);
  await print('first');
  clock.advance(15_000);
  await print('boom', 'ERROR');
  await print('second');
  clock.advance(44_999);
  await print('last');
  clock.advance(1);
  await print('after');
  const until = '2026-11-21T13:01:00+01:00';
  expect(await histogram(routes, { until, buckets: 4 })).toEqual({
    step_ms: 15_000,
    buckets: [
      { time: START, counts: { INFO: 1 } },
      { time: '2026-11-21T12:00:15.000Z', counts: { INFO: 1, ERROR: 1 } },
      { time: '2026-11-21T12:00:30.000Z', counts: {} },
      { time: '2026-11-21T12:00:45.000Z', counts: { INFO: 1 } },
    ],
    total: 4,
    counted_until: null,
  });
  expect((await histogram(routes, { until, query: 'severity>=ERROR' })).total).toBe(1);
  clock.advance(1);
  const open = await histogram(routes, {});
  expect([open.total, open.buckets.length, open.counted_until]).toEqual([5, 60, null]);
  expect((await histogram(routes, { since: '0000-01-01T00:00:00Z', buckets: 1 })).total).toBe(6);
});

test('a span of too many entries says how far it was counted', async () => {
  const clock = createFakeClock(START_MS);
  const store: LogStore = {
    ...createFakeLogStore(clock.nowMs),
    count: async (_scope, { budgetMs }) => {
      expect(budgetMs).toBe(5_000);
      return { buckets: [{ INFO: 2 }, { ERROR: 1 }], countedUntil: '2026-11-21T12:00:31.123456789Z' };
    },
  };
  await using routes = createLogRoutes({ clock, store });
  const many = await histogram(routes, { until: '2026-11-21T12:01:00Z', buckets: 2 });
  expect([many.total, many.counted_until]).toEqual([3, '2026-11-21T12:00:31.123Z']);
});

test('nobody else, no other scope, and nothing that is no span', async () => {
  await using routes = createLogRoutes();
  const statusOf = async (json: object, key = 'acme') =>
    (await routes.call(PATH, { json: { since: START, ...json }, headers: { 'X-API-Key': key } })).status;
  expect(await statusOf({ deployment_name: 'shop' }, 'rival')).toBe(403);
  expect(await statusOf({ deployment_name: 'shop' }, 'deployer')).toBe(403);
  expect(await statusOf({ deployment_name: 'shop' }, 'nobody')).toBe(401);
  expect(await statusOf({ deployment_name: 'nothing' })).toBe(404);
  for (const json of [
    { until: START },
    { since: '2999-01-01T00:00:00Z' },
    { since: 'yesterday' },
    { buckets: 0 },
    { buckets: 201 },
    { query: 'severity >' },
  ]) {
    expect([json, await statusOf({ deployment_name: 'shop', ...json })]).toEqual([json, 422]);
  }
});
