import {
  type SetSharedVariablesResponse,
  setSharedVariablesResponseSchema,
  sharedVariableSchema,
} from '@berth/contract';
import { expect, test } from 'vitest';
import { createPlatform, type Platform, readEvents } from '../deploys/testing/platform.ts';

const post = async (platform: Platform, path: string, json: unknown, key = 'alice') => {
  const answer = await platform.call('POST', path, { key, json });
  return [answer.status, (await answer.json()) as { detail: unknown }] as const;
};
const setShared = (platform: Platform, json: unknown, key?: string) => post(platform, '/v1/env/shared/set', json, key);
const set = (platform: Platform, deployment_name: string, json: object, key?: string) =>
  post(platform, '/v1/env/set', { deployment_name, ...json }, key);
const get = async (platform: Platform, path: string, key = 'alice') =>
  (await (await platform.call('GET', path, { key })).json()) as unknown;
const environmentOf = (platform: Platform, name: string) => platform.run.gateway.routes.get(name)?.env ?? {};

test('values of plain variables can be read again, those of secrets never', async () => {
  await using platform = await createPlatform();
  await platform.boot();
  await set(platform, 'shop', { set: { LEVEL: 'debug', TOKEN: 's3cret' }, plain: ['LEVEL'] });
  const at = expect.any(String);
  expect(await get(platform, '/v1/env/list?name=shop')).toEqual([
    { key: 'LEVEL', updated_at: at, value: 'debug' },
    { key: 'TOKEN', updated_at: at },
  ]);
  // What is set again without the mark is a secret.
  await set(platform, 'shop', { set: { LEVEL: 'debug' } });
  expect(await get(platform, '/v1/env/list?name=shop')).toEqual([
    { key: 'LEVEL', updated_at: at },
    { key: 'TOKEN', updated_at: at },
  ]);
  expect((await set(platform, 'shop', { set: {}, plain: ['TOKEN'] }))[0]).toBe(422);
});

test('a shared variable reaches the deployments that refer to it, and a change of it starts new revisions of them', async () => {
  await using platform = await createPlatform();
  await platform.boot();
  for (const name of ['shop', 'blog', 'docs']) await platform.deploy(name);
  expect(await setShared(platform, { set: { DB: 'one', REGION: 'eu' }, plain: ['REGION'] })).toEqual([
    200,
    { detail: 'The shared variables are set.', deployments: [] },
  ]);
  await set(platform, 'shop', { set: { URL_OF_DB: 'db://${{ shared.DB }}', API: '${{ services.blog.url }}' } });
  await set(platform, 'blog', { set: { DB: '${{ shared.DB }}' }, plain: ['DB'] });
  await set(platform, 'later', { set: { DB: '${{ shared.DB }}' } });
  expect(environmentOf(platform, 'shop')).toMatchObject({ URL_OF_DB: 'db://one' });
  expect(environmentOf(platform, 'shop')['API']).toBe(environmentOf(platform, 'blog')['BERTH_URL']);

  const [status, body] = await setShared(platform, { set: { DB: 'two', REGION: 'eu' }, plain: ['REGION'] });
  expect([status, setSharedVariablesResponseSchema.strict().parse(body)]).toEqual([
    200,
    {
      detail: expect.stringContaining('blog, later, shop'),
      deployments: [
        { name: 'blog', deploy_id: expect.stringMatching(/^dpl_/) },
        { name: 'later', deploy_id: null },
        { name: 'shop', deploy_id: expect.stringMatching(/^dpl_/) },
      ],
    },
  ]);
  await platform.deploy('later');
  for (const { deploy_id } of (body as unknown as SetSharedVariablesResponse).deployments) {
    if (deploy_id !== null)
      await readEvents(await platform.call('GET', `/v1/deploys/${deploy_id}/events?after=0`, { key: 'alice' }));
  }
  expect(environmentOf(platform, 'shop')).toMatchObject({ URL_OF_DB: 'db://two' });
  expect(environmentOf(platform, 'blog')).toMatchObject({ DB: 'two' });
  expect(environmentOf(platform, 'later')).toMatchObject({ DB: 'two' });
  expect(platform.builder.requests).toHaveLength(4);
  // A plain variable is shown as it was set, not with the secret that it refers to.
  expect(await get(platform, '/v1/env/list?name=blog')).toMatchObject([{ key: 'DB', value: '${{ shared.DB }}' }]);
  const listed = (await get(platform, '/v1/env/shared')) as unknown[];
  expect(listed.map((one) => sharedVariableSchema.strict().parse(one))).toMatchObject([
    { key: 'DB', deployments: ['blog', 'later', 'shop'] },
    { key: 'REGION', value: 'eu', deployments: [] },
  ]);
  expect(JSON.stringify(listed)).not.toContain('two');

  expect((await setShared(platform, { set: { DB: 'two', REGION: 'eu' }, plain: ['REGION'] }))[1]).toEqual({
    detail: 'The shared variables are unchanged.',
    deployments: [],
  });
});

test('a shared variable that is referred to is not removed, and nothing refers to one that is not there', async () => {
  await using platform = await createPlatform();
  await platform.boot();
  expect((await set(platform, 'shop', { set: { A: '${{ shared.KEY }}' } }))[0]).toBe(422);
  await setShared(platform, { set: { KEY: 'x', OTHER: 'y' } });
  await set(platform, 'shop', { set: { A: '${{ shared.KEY }}' } });
  const [status, body] = await setShared(platform, { unset: ['KEY', 'OTHER'] });
  expect([status, body.detail]).toEqual([409, expect.stringContaining('shop')]);
  expect(await get(platform, '/v1/env/shared')).toMatchObject([{ key: 'KEY' }, { key: 'OTHER' }]);
  await set(platform, 'shop', { unset: ['A'] });
  expect((await setShared(platform, { unset: ['KEY'] }))[0]).toBe(200);
  expect(await get(platform, '/v1/env/shared')).toMatchObject([{ key: 'OTHER' }]);
});

test('another account’s shared variables and deployments cannot be referred to', async () => {
  await using platform = await createPlatform();
  await platform.boot();
  await setShared(platform, { set: { KEY: 'of alice' } });
  await set(platform, 'shop', { set: { A: '1' } });
  expect((await set(platform, 'bobs', { set: { A: '${{ shared.KEY }}' } }, 'bob'))[0]).toBe(422);
  expect((await set(platform, 'bobs', { set: { A: '${{ services.shop.url }}' } }, 'bob'))[0]).toBe(422);
  expect(await get(platform, '/v1/env/shared', 'bob')).toEqual([]);
  await setShared(platform, { set: { KEY: 'of bob' } }, 'bob');
  await setShared(platform, { unset: ['KEY'] }, 'bob');
  expect(await get(platform, '/v1/env/shared')).toMatchObject([{ key: 'KEY' }]);
});

test('secrets of the operator’s store are read when they are set, and again by a refresh', async () => {
  const store = new Map([['prod/db', 'one']]);
  const asked: unknown[] = [];
  await using platform = await createPlatform({
    async readExternal(request) {
      asked.push(request);
      const value = store.get(request.name);
      return value === undefined ? { problem: 'the store has none' } : { value };
    },
  });
  await platform.boot();
  await platform.deploy('shop');
  await setShared(platform, { set: { USER_NAME: 'app' } });
  const text = '${{ shared.USER_NAME }}:${{ external.prod/db }}';
  expect(await set(platform, 'shop', { set: { DB: text, OTHER: '1' } })).toMatchObject([200, { status: 'applied' }]);
  expect(environmentOf(platform, 'shop')).toMatchObject({ DB: 'app:one' });
  expect(asked).toEqual([{ account: 'acc_alice', deployment: 'shop', name: 'prod/db' }]);
  const refresh = (key?: string) => post(platform, '/v1/env/refresh', { deployment_name: 'shop' }, key);
  expect(await refresh()).toMatchObject([200, { status: 'unchanged' }]);

  store.set('prod/db', 'two');
  expect(await refresh()).toMatchObject([200, { status: 'applied' }]);
  expect(environmentOf(platform, 'shop')).toMatchObject({ DB: 'app:two', OTHER: '1' });
  // A change of the shared variable reads both.
  store.set('prod/db', 'three');
  const [, { deployments }] = (await setShared(platform, { set: { USER_NAME: 'new' } })) as unknown as [
    number,
    SetSharedVariablesResponse,
  ];
  await readEvents(
    await platform.call('GET', `/v1/deploys/${deployments[0]?.deploy_id}/events?after=0`, { key: 'alice' }),
  );
  expect(environmentOf(platform, 'shop')).toMatchObject({ DB: 'new:three' });

  store.clear();
  const [status, body] = await refresh();
  expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('the store has none')]);
  expect(environmentOf(platform, 'shop')).toMatchObject({ DB: 'new:three' });
  // Nothing is asked for somebody else's name.
  asked.length = 0;
  expect((await set(platform, 'shop', { set: { A: '${{ external.prod/db }}' } }, 'bob'))[0]).toBe(403);
  expect((await refresh('bob'))[0]).toBe(403);
  expect(asked).toEqual([]);
});

test('a platform without a secret store says so', async () => {
  await using platform = await createPlatform();
  await platform.boot();
  const [status, body] = await set(platform, 'shop', { set: { A: '${{ external.a }}' } });
  expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('BERTH_SECRETS_COMMAND')]);
});
