import { createError, type DeployPage } from '@berth/contract';
import { waitUntil } from '@berth/testkit';
import { expect, it } from 'vitest';
import { createPlatform, type Platform, readEvents } from '../testing/platform.ts';

async function list(platform: Platform, query: Readonly<Record<string, string>> = {}, key = 'alice') {
  const answer = await platform.call('GET', `/v1/deploys?${new URLSearchParams(query)}`, { key });
  return { status: answer.status, page: (await answer.json()) as DeployPage };
}

it('tells of what, by whom and how each deploy went, those under way first', async () => {
  await using platform = await createPlatform();
  const { db } = await platform.boot();
  await db
    .insertInto('api_keys')
    .values({
      id: 'key_1',
      account_id: 'acc_alice',
      user_id: null,
      name: 'ci',
      start: 'berth_x',
      hash: 'x',
      scopes: '[]',
      created_at: 0,
      expires_at: null,
      last_used_at: null,
    })
    .execute();
  await platform.deploy('shop');
  await platform.call('POST', '/v1/env/set', { json: { deployment_name: 'shop', set: { KEY: '1' } } });
  await readEvents(await platform.call('POST', '/v1/deployment/redeploy', { json: { name: 'shop', port: 81 } }));
  await readEvents(await platform.call('POST', '/v1/deployment/rollback', { json: { name: 'shop' } }));
  platform.builder.whenBuilding(() => {
    throw createError('build_failed', 'It does not build.');
  });
  await platform.deploy('blog');
  await platform.deploy('hers', { key: 'bob' });
  const builds = Promise.withResolvers<void>();
  platform.builder.whenBuilding(() => builds.promise);
  const running = platform.deploy('shop');
  await waitUntil(
    'it builds',
    async () => (await list(platform, { state: 'active' })).page.deploys[0]?.status === 'building',
  );

  const { page } = await list(platform);
  expect(page.deploys.map(({ deployment, kind, status }) => `${deployment} ${kind} ${status}`)).toEqual([
    'shop deploy building',
    'blog deploy failed',
    'shop rollback done',
    'shop redeploy done',
    'shop environment done',
    'shop deploy done',
  ]);
  expect(page.deploys[1]).toMatchObject({
    code: 'build_failed',
    message: 'It does not build.',
    revision: expect.stringMatching(/^blog-00001/),
    actor: { kind: 'key', id: 'key_1', name: 'ci' },
  });
  expect(page.deploys[0]).toMatchObject({ code: null, ended_at: null, is_cancel_requested: false });
  expect((await list(platform, { state: 'active' })).page.deploys).toHaveLength(1);
  expect((await list(platform, { state: 'ended', name: 'shop' })).page.deploys).toHaveLength(4);

  const seen: string[] = [];
  for (let token = ''; ; ) {
    const next = (await list(platform, { limit: '4', ...(token && { page_token: token }) })).page;
    seen.push(...next.deploys.map(({ deploy_id }) => deploy_id));
    if (next.next_page_token === null) break;
    token = next.next_page_token;
  }
  expect(seen).toEqual(page.deploys.map(({ deploy_id }) => deploy_id));

  // Another account sees its own alone, and not whose key made it.
  const hers = (await list(platform, {}, 'bob')).page.deploys;
  expect(hers).toMatchObject([{ deployment: 'hers', actor: { id: 'key_1', name: null } }]);
  expect((await list(platform, { name: 'hers' })).status).toBe(403);
  expect((await list(platform, { name: 'nothing' })).status).toBe(404);
  expect((await list(platform, { limit: '0', state: 'x' })).status).toBe(422);
  builds.resolve();
  await running;
  // Fails when the deploys of a deleted key lose their author, or it looks as if the key still worked.
  await db.updateTable('api_keys').set({ revoked_at: 1 }).execute();
  const deletedKey = { kind: 'key', id: 'key_1', name: 'ci', is_deleted: true };
  expect((await list(platform)).page.deploys[0]?.actor).toEqual(deletedKey);
  await db.deleteFrom('api_keys').execute();
  expect((await list(platform)).page.deploys[0]).toMatchObject({ status: 'done', actor: { id: 'key_1', name: null } });
});
