import { expect, test } from 'vitest';
import { createPlatform, deployForm } from '../../deployments/deploys/testing/platform.ts';
import { parsePlans } from './plans.ts';

const plans = (limits: object) => parsePlans(JSON.stringify({ default: 'small', plans: { small: limits } }), 30);

test('one deployment more than the plan allows is 429 and names the limit; those that are there go on', async () => {
  await using platform = await createPlatform({ plans: plans({ deployments: 1 }) });
  await platform.boot();
  expect((await platform.deploy('one')).at(-1)?.status).toBe('DONE');
  const refused = await platform.call('POST', '/v1/deploy', { form: deployForm('two') });
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).not.toBeNull();
  expect(await refused.json()).toEqual({ detail: expect.stringContaining('limit "deployments"') });
  const reserved = await platform.call('POST', '/v1/env/set', { json: { deployment_name: 'two', set: { A: '1' } } });
  expect(reserved.status).toBe(429);
  expect((await platform.deploy('one')).at(-1)?.status).toBe('DONE');
  expect((await platform.deploy('theirs', { key: 'bob' })).at(-1)?.status).toBe('DONE');
});

test('settings above the plan are 422 at their fields', async () => {
  await using platform = await createPlatform({ plans: plans({ memory: '512Mi', max_instances: 2 }) });
  await platform.boot();
  const form = deployForm('big', { fields: { memory: '1Gi', max_instances: '3', min_instances: '3' } });
  const refused = await platform.call('POST', '/v1/deploy', { form });
  expect(refused.status).toBe(422);
  const { detail } = (await refused.json()) as { detail: { loc: string[] }[] };
  expect(detail.map(({ loc }) => loc)).toEqual([
    ['body', 'memory'],
    ['body', 'max_instances'],
    ['body', 'min_instances'],
  ]);
});

test('a deploy that would make one volume too many is 429; one that attaches what is there is not', async () => {
  await using platform = await createPlatform({ plans: plans({ volumes: 1 }) });
  await platform.boot();
  expect((await platform.deploy('one', { fields: { volumes: '{"/a":"data"}' } })).at(-1)?.status).toBe('DONE');
  expect((await platform.deploy('two', { fields: { volumes: '{"/a":"data"}' } })).at(-1)?.status).toBe('DONE');
  const form = deployForm('three', { fields: { volumes: '{"/a":"data","/b":"more"}' } });
  const refused = await platform.call('POST', '/v1/deploy', { form });
  expect(refused.status).toBe(429);
  expect(await refused.json()).toEqual({ detail: expect.stringContaining('limit "volumes"') });
});

test('builds are metered for the account and deployment that they are of', async () => {
  const told: [string, string][] = [];
  await using platform = await createPlatform({ onBuildSeconds: (account, name) => void told.push([account, name]) });
  await platform.boot();
  await platform.deploy('shop');
  expect(told.length).toBeGreaterThan(0);
  expect(new Set(told.map(([, name]) => name))).toEqual(new Set(['shop']));
});
