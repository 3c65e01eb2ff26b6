import { createError, type DeployEvent } from '@berth/contract';
import { waitUntil } from '@berth/testkit';
import { describe, expect, it } from 'vitest';
import { expectOrdered, expectSound } from './testing/invariants.ts';
import { createPlatform, deployForm, type Platform, readEvents } from './testing/platform.ts';

const messages = (events: readonly DeployEvent[]) => events.map((event) => `${event.status} ${event.message}`);
const cancel = (platform: Platform, id: string | undefined) => platform.call('POST', `/v1/deploys/${id}/cancel`);

/** Sends a deploy and answers once it is accepted. */
async function begin(
  platform: Platform,
  name: string,
  archive = 'slow',
): Promise<{ id: string; end: Promise<DeployEvent[]> }> {
  const answer = await platform.call('POST', '/v1/deploy', { form: deployForm(name, { archive }) });
  const rows = await platform.run.db
    .selectFrom('deploys')
    .select('id')
    .where('deployment', '=', name)
    .orderBy('number', 'desc')
    .execute();
  return { id: rows[0]?.id ?? '', end: readEvents(answer) };
}

/** Lets builds and starts wait until they are let go. */
function gates(platform: Platform) {
  const builds = Promise.withResolvers<void>();
  const starts = Promise.withResolvers<void>();
  platform.builder.whenBuilding(() => builds.promise);
  platform.run.gateway.whenActivating(() => starts.promise);
  return { builds, starts };
}

describe('a deploy', () => {
  it('goes through its steps, and serves what was built as it was declared', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const fields = {
      port: '3000',
      memory: '5Gi',
      cpu: '1',
      timeout: '30',
      concurrency: '7',
      max_instances: '2',
      session_affinity: 'true',
      use_http2: '1',
      volumes: '{"/data":{"name":"records","sub_path":"a/b"},"/in":{"name":"records","read_only":true}}',
      schedule: '{"cron":"*/5 * * * *","timezone":"Europe/Oslo"}',
    };
    const events = await platform.deploy('shop', { fields });
    expectOrdered(events);
    const revision = events.at(-1)?.revision ?? '';
    expect(revision).toMatch(/^shop-00001-[a-z]{3}$/);
    expect(messages(events)).toEqual([
      'BUILDING Deploying shop',
      `BUILDING Building ${revision}`,
      'BUILDING Detected a fake project',
      'BUILDING installed nothing',
      `DEPLOYING Starting ${revision}`,
      'DEPLOYING CPU raised from 1 to 2: 5Gi of memory requires it.',
      'DEPLOYING Volume created: records',
      'DEPLOYING Schedule set: */5 * * * * (Europe/Oslo)',
      `DONE ${revision} serves at http://shop.localhost:8787`,
    ]);
    expect(events.map((event) => event.log)).toEqual(events.map((_event, index) => (index === 3 ? true : undefined)));
    expect(events.at(-1)).toMatchObject({ url: 'http://shop.localhost:8787', revision });
    const target = platform.run.gateway.routes.get('shop');
    expect(target).toMatchObject({
      account: 'acc_alice',
      revision,
      port: 3000,
      memoryBytes: 5 * 2 ** 30,
      cpuMillis: 2000,
      timeoutMs: 30_000,
      concurrency: 7,
      maxInstances: 2,
      sessionAffinity: true,
      useHttp2: true,
      mounts: [
        { volume: 'acc_alice/records', subPath: 'a/b', target: '/data', isReadOnly: false },
        { volume: 'acc_alice/records', subPath: '', target: '/in', isReadOnly: true },
      ],
      env: { K_SERVICE: 'shop', K_REVISION: revision, CRON_TOKEN: expect.stringMatching(/^[\w-]{43}$/) },
    });
    expect(target?.env['ACME_CRON_TOKEN']).toBe(target?.env['CRON_TOKEN']);
    const built = platform.logs.entries({ account: 'acc_alice', deployment: 'shop' });
    expect(built.map(({ logName, message }) => `${logName} ${message}`)).toEqual([
      'build Detected a fake project',
      'build installed nothing',
    ]);
    await expectSound(platform);
  });

  it('updates in place; volumes and schedule are whole declarations', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    await platform.deploy('shop', { fields: { volumes: '{"/data":"records"}', schedule: '0 5 * * *' } });
    const token = platform.run.gateway.routes.get('shop')?.env['CRON_TOKEN'];
    const events = await platform.deploy('shop', { fields: { volumes: '{"/data":"records","/more":"new"}' } });
    expect(messages(events).filter((message) => /Volume|Schedule/.test(message))).toEqual([
      'DEPLOYING Volume created: new',
      'DEPLOYING Schedule removed: 0 5 * * * (UTC)',
    ]);
    expect(platform.run.gateway.routes.get('shop')?.env).not.toHaveProperty('CRON_TOKEN');
    await platform.deploy('shop', { fields: { schedule: '@daily' } });
    expect(platform.run.gateway.routes.get('shop')?.env['CRON_TOKEN']).toBe(token);
    await expectSound(platform);
  });

  it('that does not build tells the last lines, and the old revision goes on', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const first = (await platform.deploy('shop')).at(-1)?.revision;
    platform.builder.whenBuilding(async ({ onLine }) => {
      for (let line = 1; line <= 30; line++) await onLine(`line ${line}`, true);
      throw createError('build_failed', 'npm ci failed with exit code 1');
    });
    const events = await platform.deploy('shop');
    expectOrdered(events);
    expect(events.filter((event) => event.log)).toHaveLength(30);
    expect(events.at(-1)).toEqual({
      status: 'ERROR',
      message: `npm ci failed with exit code 1. ${first} keeps serving.`,
      code: 'build_failed',
      logs: Array.from({ length: 20 }, (_line, index) => `line ${index + 11}`),
      time: expect.any(String),
      deploy_id: events[0]?.deploy_id,
      seq: events.length,
    });
    expect(platform.run.gateway.routes.get('shop')?.revision).toBe(first);
    await expectSound(platform);
  });

  it('that does not start tells what its instance printed, not what its build did', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    platform.run.gateway.whenActivating(({ account, deployment, revision }, { onProgress }) => {
      onProgress?.('Waiting for port 8080');
      const entry = { logName: 'stderr' as const, severity: 'WARNING' as const };
      void platform.logs.append({ account, deployment }, [
        { ...entry, message: 'of another revision', revision: 'shop-00000-old' },
        ...Array.from({ length: 25 }, (_line, index) => ({ ...entry, message: `trace ${index}`, revision })),
        { ...entry, logName: 'requests', message: 'GET / 200', revision },
        { ...entry, message: 'of another revision', revision: 'shop-00000-old' },
      ]);
      throw createError('start_failed', 'The service exited with code 1 before it listened.');
    });
    const events = await platform.deploy('shop');
    expectOrdered(events);
    expect(messages(events)).toContain('DEPLOYING Waiting for port 8080');
    expect(events.at(-1)).toMatchObject({
      status: 'ERROR',
      code: 'start_failed',
      message: 'The service exited with code 1 before it listened.',
      logs: Array.from({ length: 20 }, (_line, index) => `trace ${index + 5}`),
    });
    await expectSound(platform);
  });

  it('that meets a fault of the platform says so without its details', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    platform.builder.whenBuilding(() => {
      throw new Error('/secret/path is gone');
    });
    const last = (await platform.deploy('shop')).at(-1);
    expect(last).toMatchObject({
      status: 'ERROR',
      code: 'internal',
      message: expect.stringContaining(last?.deploy_id ?? '?'),
    });
    expect(JSON.stringify(last)).not.toContain('/secret/path');
    await expectSound(platform);
  });

  it('keeps a bounded part of what a build prints', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    platform.builder.whenBuilding(async ({ onLine }) => {
      for (let line = 0; line < 600; line++) await onLine(`${line} ${'x'.repeat(16_000)}`, true);
      throw createError('build_failed', 'It ended.');
    });
    const events = await platform.deploy('shop');
    expectOrdered(events);
    expect(events.length).toBeLessThan(100);
    expect(messages(events).at(-2)).toMatch(/See its log for the rest/);
    expect(events.at(-1)?.logs?.at(-1)).toMatch(/^599 /);
  });
});

describe('deploys of one name', () => {
  it('run one after another, and the waiting ones say their place', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const { builds, starts } = gates(platform);
    starts.resolve();
    const [first, second, third] = [
      await begin(platform, 'shop'),
      await begin(platform, 'shop'),
      await begin(platform, 'shop'),
    ];
    builds.resolve();
    const all = await Promise.all([first.end, second.end, third.end]);
    for (const events of all) expectOrdered(events);
    expect(messages(all[1] ?? [])[0]).toBe('BUILDING Waiting for an earlier deploy of shop');
    expect(messages(all[2] ?? []).slice(0, 2)).toEqual([
      'BUILDING Waiting for 2 earlier deploys of shop',
      'BUILDING Waiting for an earlier deploy of shop',
    ]);
    expect(platform.run.gateway.calls.map((call) => call.slice(0, -4))).toEqual([
      'activate shop-00001',
      'activate shop-00002',
      'activate shop-00003',
    ]);
    await expectSound(platform);
  });

  it('leave other names alone, whose builds are bounded together', async () => {
    await using platform = await createPlatform({ maxBuilds: 2 });
    await platform.boot();
    const { builds, starts } = gates(platform);
    starts.resolve();
    const begun = [await begin(platform, 'a'), await begin(platform, 'b'), await begin(platform, 'c')];
    await waitUntil('two build', () => platform.builder.requests.length === 2);
    builds.resolve();
    const all = await Promise.all(begun.map((one) => one.end));
    expect(all.map((events) => events.at(-1)?.status)).toEqual(['DONE', 'DONE', 'DONE']);
    expect(messages(all[2] ?? [])).toContain('BUILDING Waiting for a build slot: 2 ahead.');
    await expectSound(platform);
  });
});

describe('cancelling', () => {
  it('ends a deploy in every step', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    await platform.deploy('shop');
    const { builds, starts } = gates(platform);
    const building = await begin(platform, 'shop');
    const queued = await begin(platform, 'shop');
    expect((await cancel(platform, queued.id)).status).toBe(200);
    const endOfQueued = await queued.end;
    expect(endOfQueued.map((event) => event.status)).toEqual(['BUILDING', 'ERROR']);
    await waitUntil('it builds', () => platform.builder.requests.length === 2);
    expect(await (await cancel(platform, building.id)).json()).toEqual({
      detail: expect.stringContaining('canceled'),
    });
    expect((await building.end).at(-1)).toMatchObject({ status: 'ERROR', code: 'cancelled' });
    builds.resolve();
    const starting = await begin(platform, 'shop');
    await waitUntil('it starts', () => platform.run.gateway.calls.length === 2);
    await cancel(platform, starting.id);
    expect((await starting.end).at(-1)).toMatchObject({
      code: 'cancelled',
      message: expect.stringContaining('shop-00001'),
    });
    starts.resolve();
    expect((await cancel(platform, starting.id)).status).toBe(409);
    expect((await cancel(platform, 'dpl_unknown')).status).toBe(404);
    await expectSound(platform);
  });
});

describe('deleting', () => {
  it('during a deploy cancels it, and frees the name', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    await platform.deploy('shop');
    gates(platform);
    const building = await begin(platform, 'shop');
    const answer = await platform.call('POST', '/v1/deployment/delete', { json: { name: 'shop' } });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { detail: '"shop" is deleted. Its volumes and logs are kept.' },
    ]);
    expect((await building.end).at(-1)).toMatchObject({
      code: 'cancelled',
      message: '"shop" was deleted during this deploy.',
    });
    expect((await platform.call('GET', '/v1/deployment/shop')).status).toBe(404);
    await expectSound(platform);
    platform.builder.whenBuilding(() => {});
    platform.run.gateway.whenActivating(() => {});
    // Another account may have the name now; the number goes on all the same for the one that had it.
    expect((await platform.deploy('shop', { key: 'bob' })).at(-1)?.revision).toMatch(/^shop-00001-/);
    await platform.call('POST', '/v1/deployment/delete', { key: 'bob', json: { name: 'shop' } });
    expect((await platform.deploy('shop')).at(-1)?.revision).toMatch(/^shop-00003-/);
  });

  // Fails when the deletion doesn't wait for the deploys of its name, or waits for those of others too.
  it('comes after its own deploys have stopped, and does not wait for others', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    await platform.deploy('shop');
    gates(platform);
    await begin(platform, 'other');
    const { build } = platform.builder;
    const stopped = Promise.withResolvers<void>();
    platform.builder.build = (request, options) =>
      build(request, options).catch(async (error: unknown) => {
        await stopped.promise;
        throw error;
      });
    const building = await begin(platform, 'shop');
    const deletion = platform.call('POST', '/v1/deployment/delete', { json: { name: 'shop' } });
    await waitUntil('it is deleted', async () => {
      const shown = (await (await platform.call('GET', '/v1/deployment/shop')).json()) as { readonly status: string };
      return shown.status === 'deleting';
    });
    await platform.clock.elapse(1_000);
    expect(platform.run.gateway.calls).not.toContain('remove shop');
    stopped.resolve();
    expect((await deletion).status).toBe(200);
    expect((await building.end).at(-1)).toMatchObject({ code: 'cancelled' });
    expect(platform.run.gateway.calls).toContain('remove shop');
  });

  it('is waited for by a deploy that comes meanwhile, and is 409 when it takes long', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    await platform.deploy('shop');
    const drained = Promise.withResolvers<void>();
    platform.run.gateway.whenRemoving(() => drained.promise);
    const deletion = platform.call('POST', '/v1/deployment/delete', { json: { name: 'shop' } });
    await waitUntil('it drains', () => platform.run.gateway.calls.includes('remove shop'));
    expect(await (await platform.call('GET', '/v1/deployment/shop')).json()).toMatchObject({ status: 'deleting' });
    const impatient = platform.call('POST', '/v1/deploy', { form: deployForm('shop') });
    await waitUntil(
      'both wait',
      async () => platform.clock.pending > 1 && (await platform.builder.archives()).length === 1,
    );
    let haveEnded = false;
    void Promise.all([deletion, impatient]).then(() => {
      haveEnded = true;
    });
    // On a busy machine, one of them begins to wait later.
    await waitUntil('both end', async () => {
      await platform.clock.elapse(20_001);
      return haveEnded;
    });
    expect((await deletion).status).toBe(200);
    expect((await impatient).status).toBe(409);
    expect(await platform.builder.archives()).toEqual([]);
    const patient = platform.deploy('shop');
    await waitUntil('it waits', async () => (await platform.builder.archives()).length === 1);
    drained.resolve();
    expect((await patient).at(-1)).toMatchObject({ status: 'DONE' });
    await expectSound(platform);
  });
});
