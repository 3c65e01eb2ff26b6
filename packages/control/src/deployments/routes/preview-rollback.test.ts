import { describe, expect, it } from 'vitest';
import { createPlatform, type Platform, readEvents } from '../deploys/testing/platform.ts';

const get = async (platform: Platform, route: string, key = 'alice') => {
  const answer = await platform.call('GET', route, { key });
  return [answer.status, await answer.json()] as const;
};
const post = (platform: Platform, route: string, json: unknown) => platform.call('POST', route, { json });

describe('the preview of a rollback', () => {
  const preview = (platform: Platform, query: string, key?: string) =>
    get(platform, `/v1/deployment/rollback/preview?name=shop${query}`, key);

  // Fails when a kind of change is left out, a value of a variable is shown, or something is changed.
  it('names every change and no value', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const setVariables = (set: object, unset: string[] = []) =>
      post(platform, '/v1/env/set', { deployment_name: 'shop', set, unset });
    await setVariables({ KEPT: 'v-kept', OLD: 'v-old', NEW: 'v-1' });
    const fields = { port: '81', memory: '512Mi', volumes: '{"/a":"x","/b":"gone"}', health: '/ready' };
    const [one, two] = [
      (await platform.deploy('shop', { fields })).at(-1)?.revision,
      (
        await platform.deploy('shop', {
          archive: 'another',
          fields: { ...fields, volumes: '{"/a":"y"}', schedule: '0 5 * * *' },
        })
      ).at(-1)?.revision,
    ];
    await setVariables({ NEW: 'v-2', ADDED: 'v-added' }, ['OLD']);
    await platform.run.db.deleteFrom('volumes').where('name', '=', 'gone').execute();
    const calls = platform.run.gateway.calls.length;
    const [status, body] = await preview(platform, `&revision=${one}`);
    expect([status, body]).toEqual([
      200,
      {
        from: expect.stringMatching(/^shop-00003-/),
        to: one,
        build: { from: expect.stringMatching(/^sha256:/), to: expect.stringMatching(/^sha256:/) },
        settings: [],
        schedule: { from: { cron: '0 5 * * *', timezone: 'UTC' }, to: null },
        volumes: [
          {
            mount_path: '/a',
            from: { name: 'y', read_only: false, sub_path: '' },
            to: { name: 'x', read_only: false, sub_path: '' },
          },
          { mount_path: '/b', from: null, to: { name: 'gone', read_only: false, sub_path: '' } },
        ],
        created_volumes: ['gone'],
        variables: [
          { key: 'ADDED', change: 'removed' },
          { key: 'NEW', change: 'changed' },
          { key: 'OLD', change: 'added' },
        ],
      },
    ]);
    expect(JSON.stringify(body)).not.toContain('v-');
    expect(platform.run.gateway.calls).toHaveLength(calls);
    // Without a revision it is the previous one, of the same build and settings but for its variables.
    expect((await preview(platform, ''))[1]).toMatchObject({ to: two, build: null, schedule: null, volumes: [] });
    await readEvents(await post(platform, '/v1/deployment/redeploy', { name: 'shop', port: 82, health: null }));
    expect((await preview(platform, ''))[1]).toMatchObject({
      settings: [
        { field: 'port', from: 82, to: 81 },
        { field: 'health', from: null, to: { path: '/ready', interval: 10, timeout: 5 } },
      ],
      variables: [],
    });
  });

  // Fails when the preview promises a rollback that is refused, or another account can read it.
  it('is refused as the rollback is', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const one = (await platform.deploy('shop')).at(-1)?.revision;
    expect((await preview(platform, ''))[0]).toBe(409);
    expect((await preview(platform, `&revision=${one}`))[0]).toBe(409);
    expect((await preview(platform, '&revision=shop-00009-abc'))[0]).toBe(404);
    await platform.deploy('shop');
    expect((await preview(platform, '', 'bob'))[0]).toBe(403);
    expect((await get(platform, '/v1/deployment/rollback/preview?name=nobody'))[0]).toBe(404);
  });
});
