import { createError, type Deployment, deploymentDetailSchema, deploymentSchema } from '@berth/contract';
import { waitUntil } from '@berth/testkit';
import { z } from '@hono/zod-openapi';
import { describe, expect, it } from 'vitest';
import { expectOrdered, expectSound } from '../deploys/testing/invariants.ts';
import { createPlatform, deployForm, type Platform, readEvents } from '../deploys/testing/platform.ts';

const get = async (platform: Platform, route: string, key = 'alice') => {
  const answer = await platform.call('GET', route, { key });
  return [answer.status, await answer.json()] as const;
};
const post = (platform: Platform, route: string, json: unknown, key = 'alice') =>
  platform.call('POST', route, { key, json });

describe('check-name', () => {
  it('says whether the caller can have a name, and why not', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    await platform.deploy('mine');
    const check = (name: string, key?: string) =>
      get(platform, `/v1/deployment/check-name?name=${encodeURIComponent(name)}`, key);
    expect(await check('free')).toEqual([200, { available: true }]);
    expect(await check('mine')).toEqual([200, { available: true }]);
    expect(await get(platform, '/v1/deployment/check-name?name=mine&existing=true')).toEqual([
      200,
      { available: true, exists: true },
    ]);
    expect(await check('mine', 'bob')).toEqual([
      200,
      { available: false, reason: 'The name "mine" belongs to another account.' },
    ]);
    for (const name of ['Upper', '1st', 'a_b', '', 'a'.repeat(64), 'api', 'intranet', '../x', 'a\0']) {
      expect([name, await check(name)]).toEqual([
        name,
        [200, { available: false, reason: expect.stringMatching(/\w{3}/) }],
      ]);
    }
    expect(await get(platform, '/v1/deployment/check-name')).toEqual([
      422,
      { detail: [{ loc: ['query', 'name'], msg: 'Field required', type: 'missing' }] },
    ]);
  });

  it('counts a name that only has an environment', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    await post(platform, '/v1/env/set', { deployment_name: 'early', set: { A: '1' } });
    expect((await get(platform, '/v1/deployment/check-name?name=early', 'bob'))[1]).toMatchObject({ available: false });
    expect((await platform.call('POST', '/v1/deploy', { key: 'bob', form: deployForm('early') })).status).toBe(403);
    // A reserved name has no settings that a form could show.
    expect((await get(platform, '/v1/deployment/check-name?name=early'))[1]).toEqual({ available: true });
    expect(await get(platform, '/v1/deployment/list')).toEqual([200, []]);
    expect((await get(platform, '/v1/deployment/early'))[0]).toBe(404);
    expect((await get(platform, '/v1/deployment/early', 'bob'))[0]).toBe(403);
    expect((await post(platform, '/v1/deployment/delete', { name: 'early' })).status).toBe(200);
    expect((await get(platform, '/v1/deployment/check-name?name=early', 'bob'))[1]).toEqual({ available: true });
  });
});

describe('the list', () => {
  it('has every field of the contract, newest first, and only the account’s own', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const fields = {
      port: '3000',
      memory: '256Mi',
      cpu: '0.5',
      timeout: '30',
      concurrency: '7',
      max_instances: '2',
      min_instances: '1',
      session_affinity: 'true',
      volumes: '{"/data":{"name":"records","read_only":true,"sub_path":"a/b"}}',
      schedule: '{"cron":"0 5 * * *","timezone":"Europe/Oslo"}',
    };
    const revision = (await platform.deploy('older', { fields })).at(-1)?.revision;
    platform.clock.advance(1_000);
    await platform.deploy('newer');
    await platform.deploy('theirs', { key: 'bob' });
    const [status, rows] = await get(platform, '/v1/deployment/list');
    expect(status).toBe(200);
    expect(
      z
        .array(deploymentSchema.strict())
        .parse(rows)
        .map((row) => row.name),
    ).toEqual(['newer', 'older']);
    expect(rows[1]).toEqual({
      name: 'older',
      url: 'http://older.localhost:8787',
      region: 'local',
      status: 'ready',
      revision,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
      port: 3000,
      memory: '256Mi',
      cpu: 0.5,
      timeout: 30,
      concurrency: 7,
      max_instances: 2,
      min_instances: 1,
      busy: 0,
      session_affinity: true,
      use_http2: false,
      volumes: { '/data': { name: 'records', read_only: true, sub_path: 'a/b' } },
      schedule: { cron: '0 5 * * *', timezone: 'Europe/Oslo' },
      health: null,
      instances: 1,
      kind: 'service',
      last_deploy: {
        deploy_id: expect.stringMatching(/^dpl_/),
        status: 'done',
        created_at: '2026-01-01T00:00:00.000Z',
        actor: { kind: 'key', id: 'key_1', name: null },
      },
    });
  });

  // Fails when the kind is that of a revision that doesn't serve, or the newest deploy is that of another deployment.
  it('has the kind of the live revision, and the newest deploy', async () => {
    await using platform = await createPlatform();
    const { db } = await platform.boot();
    await platform.deploy('helper');
    await platform.deploy('shop');
    const list = async () => (await get(platform, '/v1/deployment/list'))[1] as Deployment[];
    const kinds = async () => Object.fromEntries((await list()).map(({ name, kind }) => [name, kind]));
    platform.builder.makeAgents();
    await platform.deploy('helper');
    expect(await kinds()).toEqual({ helper: 'agent', shop: 'service' });
    expect((await get(platform, '/v1/deployment/helper'))[1]).toMatchObject({ kind: 'agent' });
    await readEvents(await post(platform, '/v1/deployment/rollback', { name: 'helper' }));
    expect(await kinds()).toEqual({ helper: 'service', shop: 'service' });
    platform.builder.whenBuilding(() => {
      throw createError('build_failed', 'It does not build.');
    });
    await platform.deploy('helper');
    const deploys = (await get(platform, '/v1/deploys?name=helper'))[1].deploys;
    const [helper, shop] = await Promise.all(
      ['helper', 'shop'].map(async (name) => (await list()).find((row) => row.name === name)?.last_deploy),
    );
    expect([helper?.deploy_id, helper?.status]).toEqual([deploys[0].deploy_id, 'failed']);
    expect([shop?.status, (await get(platform, '/v1/deployment/helper'))[1].last_deploy]).toEqual(['done', helper]);
    await db.deleteFrom('deploys').where('deployment', '=', 'shop').execute();
    expect((await list()).find(({ name }) => name === 'shop')?.last_deploy).toBe(null);
  });

  it('shows how far a deploy is, and a first one that failed', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const builds = Promise.withResolvers<void>();
    const starts = Promise.withResolvers<void>();
    platform.builder.whenBuilding(() => builds.promise);
    platform.run.gateway.whenActivating(() => starts.promise);
    const statusIs = (status: string) =>
      waitUntil(`it is ${status}`, async () => (await get(platform, '/v1/deployment/shop'))[1].status === status);
    const deploy = platform.deploy('shop', { fields: { port: '3000' } });
    await statusIs('building');
    expect((await get(platform, '/v1/deployment/list'))[1]).toMatchObject([{ revision: null, port: 3000 }]);
    builds.resolve();
    await statusIs('deploying');
    starts.reject(createError('start_failed', 'no'));
    await deploy;
    await statusIs('failed');
    platform.run.gateway.whenActivating(() => {});
    await platform.deploy('shop');
    await statusIs('ready');
    platform.builder.whenBuilding(() => {
      throw createError('build_failed', 'no');
    });
    // What fails now leaves what serves, and its settings.
    await platform.deploy('shop', { fields: { port: '9999' } });
    expect((await get(platform, '/v1/deployment/shop'))[1]).toMatchObject({ status: 'ready', port: 8080 });
  });
});

describe('one deployment', () => {
  it('is its row with its revisions, newest first', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const first = (await platform.deploy('shop')).at(-1)?.revision;
    platform.builder.whenBuilding(() => {
      throw createError('build_failed', 'no');
    });
    await platform.deploy('shop');
    platform.builder.whenBuilding(() => {});
    const third = (await platform.deploy('shop')).at(-1)?.revision;
    const body = deploymentDetailSchema.strict().parse((await get(platform, '/v1/deployment/shop'))[1]);
    expect(body.revision).toBe(third);
    expect(body.revisions).toEqual([
      {
        revision: third,
        status: 'ready',
        created_at: '2026-01-01T00:00:00.000Z',
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        source_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      {
        revision: expect.stringMatching(/^shop-00002-/),
        status: 'failed',
        created_at: expect.any(String),
        digest: null,
        source_sha256: expect.any(String),
      },
      {
        revision: first,
        status: 'ready',
        created_at: expect.any(String),
        digest: expect.any(String),
        source_sha256: expect.any(String),
      },
    ]);
  });

  // Fails when a person has to read berth.json to learn why a service doesn't work.
  it('names the required variables that are not set, also those of a revision that failed', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const missing = async () => (await get(platform, '/v1/deployment/shop'))[1]['missing_env'];
    platform.builder.requireVariables(['STRIPE_KEY', 'REGION']);
    await platform.deploy('shop');
    expect(await missing()).toEqual(['REGION', 'STRIPE_KEY']);
    // The revision of a change of variables requires the same.
    await platform.call('POST', '/v1/env/set', { json: { deployment_name: 'shop', set: { REGION: 'eu' } } });
    expect(await missing()).toEqual(['STRIPE_KEY']);
    platform.builder.requireVariables(['MODEL_KEY']);
    platform.run.gateway.whenActivating(() => {
      throw createError('start_failed', 'no');
    });
    await platform.deploy('shop');
    expect(await missing()).toEqual(['MODEL_KEY', 'STRIPE_KEY']);
  });

  it('of nobody is 404, of another account 403', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    await platform.deploy('shop');
    for (const name of ['nobody', 'x'.repeat(300), '%2e%2e', 'a b']) {
      expect((await get(platform, `/v1/deployment/${encodeURIComponent(name)}`))[0]).toBe(404);
    }
    expect(await get(platform, '/v1/deployment/shop', 'bob')).toEqual([403, { detail: expect.any(String) }]);
  });
});

describe('a rollback', () => {
  it('brings a revision back as it was, without a build', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const [one, two, three] = [
      (await platform.deploy('shop', { fields: { port: '1', volumes: '{"/a":"x"}', schedule: '0 5 * * *' } })).at(-1)
        ?.revision,
      (await platform.deploy('shop', { fields: { port: '2' } })).at(-1)?.revision,
      (await platform.deploy('shop', { fields: { port: '3' } })).at(-1)?.revision,
    ];
    const builds = platform.builder.requests.length;
    const answer = await post(platform, '/v1/deployment/rollback', { name: 'shop' });
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    const events = await readEvents(answer);
    expectOrdered(events);
    expect(events.at(-1)).toMatchObject({ status: 'DONE', revision: two });
    expect(platform.run.gateway.routes.get('shop')).toMatchObject({ revision: two, port: 2 });
    const named = await readEvents(await post(platform, '/v1/deployment/rollback', { name: 'shop', revision: one }));
    expect(named.map((event) => event.message)).toContain('Schedule set: 0 5 * * * (UTC)');
    expect(platform.run.gateway.routes.get('shop')).toMatchObject({ revision: one, port: 1, env: { K_REVISION: one } });
    expect(platform.builder.requests).toHaveLength(builds);
    const forward = await readEvents(
      await post(platform, '/v1/deployment/rollback', { name: 'shop', revision: three }),
    );
    expect(forward.at(-1)?.revision).toBe(three);
    await expectSound(platform);
  });

  it('that does not start leaves the revision good, and what serves', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const one = (await platform.deploy('shop')).at(-1)?.revision;
    const two = (await platform.deploy('shop')).at(-1)?.revision;
    platform.run.gateway.whenActivating(() => {
      throw createError('start_timeout', 'Nothing answered on port 8080 within 240 s.');
    });
    const events = await readEvents(await post(platform, '/v1/deployment/rollback', { name: 'shop' }));
    expect(events.at(-1)).toMatchObject({
      status: 'ERROR',
      code: 'start_timeout',
      message: expect.stringContaining(`${two} keeps serving`),
    });
    await expectSound(platform);
    platform.run.gateway.whenActivating(() => {});
    expect(
      (await readEvents(await post(platform, '/v1/deployment/rollback', { name: 'shop', revision: one }))).at(-1)
        ?.status,
    ).toBe('DONE');
  });

  it('is refused where there is nothing to go back to', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const first = (await platform.deploy('shop')).at(-1)?.revision;
    platform.builder.whenBuilding(() => {
      throw createError('build_failed', 'no');
    });
    await platform.deploy('shop');
    const revisions = (await get(platform, '/v1/deployment/shop'))[1].revisions as { revision: string }[];
    for (const [json, status] of [
      [{ name: 'shop' }, 409],
      [{ name: 'shop', revision: first }, 409],
      [{ name: 'shop', revision: revisions[0]?.revision }, 409],
      [{ name: 'shop', revision: 'shop-00009-abc' }, 404],
      [{ name: 'nobody' }, 404],
      [{}, 422],
      [{ name: 1 }, 422],
      [{ name: 'shop', revision: 1 }, 422],
    ] as const) {
      const answer = await post(platform, '/v1/deployment/rollback', json);
      expect([json, answer.status]).toEqual([json, status]);
      await answer.text();
    }
    expect((await post(platform, '/v1/deployment/rollback', { name: 'shop' }, 'bob')).status).toBe(403);
  });
});

describe('a deletion', () => {
  it('takes all but data and history', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const events = await platform.deploy('shop', { fields: { volumes: '{"/data":"records"}', schedule: '@daily' } });
    await post(platform, '/v1/env/set', { deployment_name: 'shop', set: { A: '1' } });
    expect((await post(platform, '/v1/deployment/delete', { name: 'shop' }, 'bob')).status).toBe(403);
    expect((await post(platform, '/v1/deployment/delete', { name: 'shop' })).status).toBe(200);
    expect((await post(platform, '/v1/deployment/delete', { name: 'shop' })).status).toBe(404);
    expect((await post(platform, '/v1/deployment/delete', {})).status).toBe(422);
    const { db, gateway } = platform.run;
    for (const table of [
      'deployments',
      'revisions',
      'environment_variables',
      'cron_tokens',
      'volume_attachments',
      'schedules',
    ] as const) {
      expect([table, await db.selectFrom(table).selectAll().execute()]).toEqual([table, []]);
    }
    expect(await db.selectFrom('volumes').select('name').execute()).toEqual([{ name: 'records' }]);
    expect([gateway.routes.size, platform.builder.built.size]).toEqual([0, 0]);
    const route = `/v1/deploys/${events[0]?.deploy_id}/events`;
    expect(await readEvents(await platform.call('GET', route))).toEqual(events);
    const again = await platform.deploy('shop', { fields: { volumes: '{"/data":"records"}' } });
    expect(again.some((event) => event.message.startsWith('Volume created'))).toBe(false);
    expect(platform.run.gateway.routes.get('shop')?.env).not.toHaveProperty('A');
  });

  it('is written into the audit log, as deploys and their like are', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const id = (await platform.deploy('shop'))[0]?.deploy_id;
    await platform.deploy('shop');
    await readEvents(await post(platform, '/v1/deployment/rollback', { name: 'shop' }));
    await post(platform, '/v1/env/set', { deployment_name: 'shop', set: { SECRET: 'canary-value' } });
    await post(platform, '/v1/deployment/delete', { name: 'shop' });
    const lines = await platform.run.db.selectFrom('audit_log').selectAll().orderBy('id').execute();
    expect(lines.map((line) => `${line.account_id} ${line.actor_id} ${line.action} ${line.target}`)).toEqual([
      'acc_alice key_1 deployment.deploy shop',
      'acc_alice key_1 deployment.deploy shop',
      'acc_alice key_1 deployment.rollback shop',
      'acc_alice key_1 environment.set shop',
      'acc_alice key_1 deployment.delete shop',
    ]);
    expect(JSON.parse(lines[0]?.details ?? '')).toMatchObject({ deploy_id: id });
    expect(JSON.parse(lines[3]?.details ?? '')).toEqual({ set: ['SECRET'], unset: [] });
  });
});
