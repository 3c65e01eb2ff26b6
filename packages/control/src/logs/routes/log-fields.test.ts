import type { LogFields } from '@berth/contract';
import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import { createLogRoutes, SHOP } from '../testing/log-routes-fixture.ts';

const PATH = '/v1/deployment/logs/fields';
const START = '2026-11-21T12:00:00.000Z';

test('the fields of what fits, with their most frequent values', async () => {
  const clock = createFakeClock(Date.parse(START));
  await using routes = createLogRoutes({ clock });
  for (let n = 0; n < 30; n++) {
    const jsonPayload = { n, user: `u-${n % 3}` };
    await routes.store.append(SHOP, [{ logName: 'stdout', severity: 'INFO', message: 'm', jsonPayload }]);
  }
  clock.advance(1);
  const ask = async (json: object) => {
    const response = await routes.call(PATH, { json: { deployment_name: 'shop', since: START, ...json } });
    expect(response.status).toBe(200);
    return (await response.json()) as LogFields;
  };
  const all = await ask({});
  expect([all.entries, all.is_sampled]).toEqual([30, false]);
  const of = (answer: LogFields, name: string) => answer.fields.find((field) => field.name === name);
  expect(of(all, 'jsonPayload.user')).toEqual({
    name: 'jsonPayload.user',
    entries: 30,
    has_more: false,
    values: ['u-0', 'u-1', 'u-2'].map((value) => ({ value, entries: 10 })),
  });
  expect(of(all, 'jsonPayload.n')).toMatchObject({ has_more: true, values: { length: 10 } });
  const some = await ask({ query: 'jsonPayload.user="u-1"', values: 0 });
  expect([some.entries, of(some, 'jsonPayload.user')?.values]).toEqual([10, []]);
});

test('nobody else, no other scope, and nothing that is no span', async () => {
  await using routes = createLogRoutes();
  const statusOf = async (json: object, key = 'acme') =>
    (await routes.call(PATH, { json: { since: START, ...json }, headers: { 'X-API-Key': key } })).status;
  expect(await statusOf({ deployment_name: 'shop' }, 'rival')).toBe(403);
  expect(await statusOf({ deployment_name: 'shop' }, 'deployer')).toBe(403);
  expect(await statusOf({ deployment_name: 'shop' }, 'nobody')).toBe(401);
  expect(await statusOf({ deployment_name: 'nothing' })).toBe(404);
  for (const json of [{ until: START }, { since: 'yesterday' }, { values: 101 }, { query: 'severity >' }]) {
    expect([json, await statusOf({ deployment_name: 'shop', ...json })]).toEqual([json, 422]);
  }
});
