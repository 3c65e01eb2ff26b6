import { expect, test } from 'vitest';
import { setupView } from '../render-view.test-support.ts';
import { QUERY_KEYS } from './query-keys.ts';
import { useDeployments, useIdentities, useKeys, useMembers, useVolumes } from './shared-lists.ts';
import { useRead } from './use-read.ts';

const LIST = 'GET /v1/deployment/list';

// Fails when the key isn't the one that was given: the second view would read again.
test('views with the same key share one answer', async () => {
  let count = 0;
  const { call, read } = setupView({ answers: { [LIST]: () => [{ name: `shop-${++count}` }] } });
  expect(call(() => useDeployments().data)).toBeUndefined();
  await read(QUERY_KEYS.deployments);
  expect(call(() => useDeployments().data)).toEqual([{ name: 'shop-1' }]);
  expect(call(() => useRead(QUERY_KEYS.deployments, async () => 'another').data)).toEqual([{ name: 'shop-1' }]);
  expect(count).toBe(1);
});

// Fails when the signal of the query isn't passed on.
test('a query that nobody needs any more is canceled', async () => {
  const signals: AbortSignal[] = [];
  const { call, queries } = setupView();
  call(() =>
    useRead(['slow'], (_, signal) => {
      signals.push(signal);
      return new Promise(() => {});
    }),
  );
  const query = queries.getQueryCache().find({ queryKey: ['slow'] });
  query?.fetch().catch(() => {});
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  await queries.cancelQueries({ queryKey: ['slow'] });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

// Fails when the options can replace the key or are dropped.
test('options are those of the query', () => {
  const { call, queries } = setupView();
  call(() => useRead(['rare'], async () => 1, { staleTime: 60_000, gcTime: 0 }));
  expect(queries.getQueryCache().find({ queryKey: ['rare'] })?.options.gcTime).toBe(0);
});

// Fails when two lists have the same key or one reads another's path.
test.each([
  [QUERY_KEYS.deployments, useDeployments, LIST],
  [QUERY_KEYS.volumes, useVolumes, 'GET /v1/volume/list'],
  [QUERY_KEYS.members, useMembers, 'GET /v1/user/members'],
  [QUERY_KEYS.keys, useKeys, 'GET /v1/user/keys'],
  [QUERY_KEYS.identities, useIdentities, 'GET /v1/user/identities'],
])('the list %j comes from its route', async (key, hook: () => unknown, route) => {
  const { call, read } = setupView({ answers: { [route]: () => [route] } });
  call(hook);
  expect(await read(key)).toEqual([route]);
});
