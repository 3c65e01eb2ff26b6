import { createError, type DeployEvent } from '@berth/contract';
import { waitUntil } from '@berth/testkit';
import { describe, expect, it } from 'vitest';
import { expectOrdered, expectSound } from './testing/invariants.ts';
import { createPlatform, type Platform, readEvents } from './testing/platform.ts';

const FIELDS = {
  port: '3000',
  memory: '5Gi',
  timeout: '30',
  volumes: '{"/data":{"name":"records","sub_path":"a"}}',
  schedule: '{"cron":"0 5 * * *","timezone":"Europe/Oslo"}',
};

const redeploy = (platform: Platform, json: object, key?: string) =>
  platform.call('POST', '/v1/deployment/redeploy', { json: { name: 'shop', ...json }, ...(key ? { key } : {}) });

async function shown(platform: Platform) {
  return (await platform.call('GET', '/v1/deployment/shop')).json() as Promise<Record<string, unknown>>;
}

const sentences = (events: readonly DeployEvent[]) => events.map(({ status, message }) => `${status} ${message}`);

describe('a redeploy', () => {
  it('starts what serves anew with what changes, and keeps all else', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    await platform.deploy('shop', { fields: FIELDS });
    const before = await shown(platform);
    const built = platform.builder.built.size;
    const events = await readEvents(
      await redeploy(platform, { memory: '512Mi', concurrency: 7, use_http2: true, schedule: '30 6 * * *' }),
    );
    expectOrdered(events);
    const revision = events.at(-1)?.revision ?? '';
    expect(revision).toMatch(/^shop-00002-/);
    expect(sentences(events)).toEqual([
      'BUILDING New settings for shop, without a build',
      `DEPLOYING Starting ${revision} with other settings: memory, concurrency, use_http2, schedule`,
      'DEPLOYING Schedule set: 30 6 * * * (Europe/Oslo)',
      `DONE ${revision} serves at http://shop.localhost:8787`,
    ]);
    expect(await shown(platform)).toMatchObject({
      port: 3000,
      timeout: 30,
      volumes: before['volumes'],
      // Raised for 5Gi before, and not for what it has now.
      memory: '512Mi',
      cpu: 1,
      concurrency: 7,
      use_http2: true,
      schedule: { cron: '30 6 * * *', timezone: 'Europe/Oslo' },
    });
    expect(platform.run.gateway.routes.get('shop')).toMatchObject({ revision, memoryBytes: 2 ** 29, cpuMillis: 1_000 });
    expect(platform.builder.built.size).toBe(built);
    await readEvents(await redeploy(platform, { health: { path: '/healthz', interval: 20 } }));
    const health = { path: '/healthz', interval: 20, timeout: 5 };
    expect(await shown(platform)).toMatchObject({ health, memory: '512Mi' });
    await readEvents(await redeploy(platform, { schedule: null, timezone: '', volumes: {} }));
    expect(await shown(platform)).toMatchObject({ health });
    // The probe names the public host: frameworks refuse requests for others.
    expect(platform.run.gateway.routes.get('shop')).toMatchObject({
      health: { path: '/healthz', intervalMs: 20_000, timeoutMs: 5_000 },
    });
    await readEvents(await redeploy(platform, { health: null }));
    expect(await shown(platform)).toMatchObject({ health: null });
    expect(platform.run.gateway.routes.get('shop')).not.toHaveProperty('health');
    expect(await shown(platform)).toMatchObject({ schedule: null, volumes: {}, memory: '512Mi' });
    const again = await readEvents(await redeploy(platform, {}));
    expect(again[1]?.message).toMatch(/^Starting shop-00006-\w+$/);
    const raised = await readEvents(await redeploy(platform, { memory: '9Gi' }));
    expect(sentences(raised)).toContain('DEPLOYING CPU raised from 1 to 4: 9Gi of memory requires it.');
    await expectSound(platform);
  });

  it('changes what the deploy before it left, not what was there when it was asked for', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    await platform.deploy('shop');
    const starts = Promise.withResolvers<void>();
    platform.run.gateway.whenActivating(() => starts.promise);
    const first = await redeploy(platform, { memory: '2Gi' });
    const second = await redeploy(platform, { port: 81 });
    starts.resolve();
    await Promise.all([readEvents(first), readEvents(second)]);
    expect(await shown(platform)).toMatchObject({ memory: '2Gi', port: 81 });
    const builds = Promise.withResolvers<void>();
    platform.builder.whenBuilding(() => builds.promise);
    const deploy = platform.deploy('shop', { fields: { memory: '1Gi' } });
    await waitUntil('the deploy is accepted', async () => (await shown(platform))['status'] === 'building');
    // Right for 2Gi, and no more for the 1Gi that comes before it.
    const late = await redeploy(platform, { cpu: '4' });
    builds.resolve();
    await deploy;
    expect((await readEvents(late)).at(-1)).toMatchObject({
      status: 'ERROR',
      code: 'start_failed',
      message: expect.stringContaining('memory: cpu 4 needs at least 2Gi of memory'),
    });
    await expectSound(platform);
  });

  it('goes on after a crash, and what served before serves on when it does not start', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    await platform.deploy('shop');
    const hangs = new Promise<void>(() => {});
    platform.run.gateway.whenActivating(() => hangs);
    await redeploy(platform, { memory: '2Gi' });
    await waitUntil('it starts', async () => (await shown(platform))['status'] === 'deploying');
    await platform.kill();
    await platform.boot();
    await waitUntil('it serves', async () => (await shown(platform))['status'] === 'ready');
    await expectSound(platform);
    expect(await shown(platform)).toMatchObject({ memory: '2Gi' });
    platform.run.gateway.whenActivating(() => {
      throw createError('port_not_open', 'Nothing listens on 9999.');
    });
    const events = await readEvents(await redeploy(platform, { port: 9_999 }));
    expect(events.at(-1)).toMatchObject({ status: 'ERROR', code: 'port_not_open' });
    expect(await shown(platform)).toMatchObject({ port: 8080, status: 'ready' });
    await expectSound(platform);
  });

  it('is refused with every reason, before anything is done', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    await platform.deploy('shop', { fields: { cpu: '0.5' } });
    const wrong = {
      port: 0,
      memory: 'much',
      cpu: 3,
      volumes: { data: 'records' },
      schedule: '* *',
      health: 'x',
      session_affinity: 'x',
    };
    const answer = await redeploy(platform, wrong);
    expect(answer.status).toBe(422);
    const { detail } = (await answer.json()) as { detail: { loc: string[] }[] };
    expect(new Set(detail.map(({ loc }) => loc[1]))).toEqual(new Set(Object.keys(wrong)));
    const statuses = [
      redeploy(platform, { timezone: 'Europe/Oslo' }),
      redeploy(platform, { port: [] }),
      redeploy(platform, {}, 'bob'),
      redeploy(platform, {}, 'alice-read'),
      platform.call('POST', '/v1/deployment/redeploy', { json: { name: 'nothing' } }),
    ].map(async (one) => (await one).status);
    expect(await Promise.all(statuses)).toEqual([422, 422, 403, 403, 404]);
    platform.builder.whenBuilding(() => {
      throw createError('build_failed', 'no');
    });
    await platform.deploy('first');
    const never = await redeploy(platform, { name: 'first' });
    expect([never.status, await never.json()]).toEqual([
      409,
      { detail: 'No revision of "first" is live yet. Deploy its source with the settings first.' },
    ]);
    expect(await platform.run.db.selectFrom('deploys').select('id').execute()).toHaveLength(2);
    await expectSound(platform);
  });

  // Fails when a redeploy, or a rollback, takes the stored settings without `refuseMounts`.
  it('and a rollback are refused where volumes may not be mounted any more', async () => {
    const reserved: string[] = [];
    await using platform = await createPlatform({ mountPolicy: { reserved, partial: {} } });
    await platform.boot();
    const first = (await platform.deploy('shop', { fields: { volumes: '{"/usr/bin":"a","/data":"b"}' } })).at(-1);
    reserved.push('/usr');
    const places = async (answer: Promise<Response>) => {
      const { status, ...response } = await answer.then(async (one) => ({
        status: one.status,
        body: await one.json(),
      }));
      const { detail } = response.body as { detail: { loc: string[] }[] };
      return [status, detail.map(({ loc }) => loc)];
    };
    const refused = [422, [['body', 'volumes', '/usr/bin']]];
    expect(await places(redeploy(platform, { memory: '2Gi' }))).toEqual(refused);
    const events = await readEvents(await redeploy(platform, { volumes: { '/data': 'b' } }));
    expect(events.at(-1)?.status).toBe('DONE');
    const rollback = { name: 'shop', revision: first?.revision };
    expect(await places(platform.call('POST', '/v1/deployment/rollback', { json: rollback }))).toEqual(refused);
    expect(await platform.run.db.selectFrom('deploys').select('id').execute()).toHaveLength(2);
    await expectSound(platform);
  });
});
