import { createError } from '@berth/contract';
import { refuseWrites } from '@berth/database/testing';
import { createRecordingLogger, waitUntil } from '@berth/testkit';
import { describe, expect, it } from 'vitest';
import { createSoleCluster } from '../../cluster/cluster.ts';
import { createDeployLeases } from './records/deploy-lease.ts';
import { expectOrdered, expectSound } from './testing/invariants.ts';
import { createPlatform, deployForm, type Platform, readEvents } from './testing/platform.ts';

const eventsOf = async (platform: Platform, id: string | undefined) =>
  readEvents(await platform.call('GET', `/v1/deploys/${id}/events`));
const newestDeploy = (platform: Platform) =>
  platform.run.db.selectFrom('deploys').selectAll().orderBy('number', 'desc').executeTakeFirstOrThrow();

/** A deploy that hangs in its build. */
async function hang(platform: Platform): Promise<string> {
  const before = platform.builder.requests.length;
  platform.builder.whenBuilding(() => new Promise(() => {}));
  await platform.call('POST', '/v1/deploy', { form: deployForm('shop') });
  await waitUntil('it builds', () => platform.builder.requests.length > before);
  return (await newestDeploy(platform)).id;
}

describe('after a crash a deploy', () => {
  it('that was building is built again from its archive', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const id = await hang(platform);
    const archive = platform.builder.requests.at(-1)?.archive;
    await platform.kill();
    platform.builder.whenBuilding(() => {});
    await platform.boot();
    const events = await eventsOf(platform, id);
    expectOrdered(events);
    expect(events.map(({ status, message }) => `${status} ${message}`)).toContain(
      'BUILDING Rebuilding after a platform restart',
    );
    expect(events.at(-1)?.status).toBe('DONE');
    expect(platform.builder.requests.at(-1)?.archive).toEqual(archive);
    await expectSound(platform);
  });

  it('whose archive is gone ends with the reason', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const id = await hang(platform);
    const archive = platform.builder.requests.at(-1)?.archive;
    await platform.kill();
    if (archive) await platform.builder.discard(archive);
    await platform.boot();
    expect((await eventsOf(platform, id)).at(-1)).toMatchObject({
      status: 'ERROR',
      code: 'internal',
      message: 'The archive was lost when the platform restarted. Deploy again.',
    });
    await expectSound(platform);
  });

  it('that was starting is started again without a word of building', async () => {
    await using platform = await createPlatform();
    const isStarting = Promise.withResolvers<void>();
    await platform.boot(({ gateway }) =>
      gateway.whenActivating(() => {
        isStarting.resolve();
        return new Promise(() => {});
      }),
    );
    await platform.call('POST', '/v1/deploy', { form: deployForm('shop') });
    await isStarting.promise;
    const before = await newestDeploy(platform);
    await platform.kill();
    await platform.boot();
    const events = await eventsOf(platform, before.id);
    expectOrdered(events);
    expect(events.slice(before.last_seq).map((event) => event.status)).toEqual(['DEPLOYING', 'DONE']);
    expect(events[before.last_seq]?.message).toBe('Resuming after a platform restart');
    expect(platform.builder.requests).toHaveLength(1);
    await expectSound(platform);
  });

  it('that was asked to end ends', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const id = await hang(platform);
    await platform.run.db.updateTable('deploys').set({ is_cancel_requested: 1 }).where('id', '=', id).execute();
    await platform.kill();
    await platform.boot();
    expect((await eventsOf(platform, id)).at(-1)).toMatchObject({
      status: 'ERROR',
      code: 'cancelled',
      message: 'The deploy was canceled.',
    });
    await expectSound(platform);
  });

  // Fails when a revision without its program is started.
  it('whose program is gone ends with the reason', async () => {
    await using platform = await createPlatform();
    const isStarting = Promise.withResolvers<void>();
    await platform.boot(({ gateway }) =>
      gateway.whenActivating(() => {
        isStarting.resolve();
        return new Promise(() => {});
      }),
    );
    await platform.call('POST', '/v1/deploy', { form: deployForm('shop') });
    await isStarting.promise;
    const { id } = await newestDeploy(platform);
    const { db } = platform.run;
    expect(await db.selectFrom('revisions').select('status').execute()).toEqual([{ status: 'building' }]);
    await db.updateTable('revisions').set({ artifact: null }).execute();
    await platform.kill();
    const { gateway } = await platform.boot();
    expect((await eventsOf(platform, id)).at(-1)).toMatchObject({
      code: 'internal',
      message: 'The build result was lost when the platform restarted. Deploy again.',
    });
    expect(gateway.calls).toEqual([]);
  });

  it('that brings the platform down each time is given up', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const id = await hang(platform);
    for (let crash = 0; crash < 4; crash++) {
      const builds = platform.builder.requests.length;
      await platform.kill();
      await platform.boot();
      if (crash < 3) await waitUntil('it builds again', () => platform.builder.requests.length > builds);
    }
    const events = await eventsOf(platform, id);
    expectOrdered(events);
    expect(events.at(-1)).toMatchObject({
      code: 'internal',
      message: 'The platform stopped 4 times during this deploy. Deploy again.',
    });
    await expectSound(platform);
  });
});

describe('a database that fails', () => {
  it('while the end of a deploy is recorded does not lose it', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const first = (await platform.deploy('shop')).at(-1)?.revision;
    const { db, gateway } = platform.run;
    const id = await hang(platform);
    // Every change of a deployment fails, as on a full disk.
    const mend = await refuseWrites(db, 'deployments', 'update');
    await platform.call('POST', `/v1/deploys/${id}/cancel`);
    await waitUntil('it is not driven any more', () => platform.clock.pending <= 2);
    expect((await newestDeploy(platform)).ended_at).toBeNull();
    await mend();
    await platform.clock.elapse(10_000);
    expect((await eventsOf(platform, id)).at(-1)).toMatchObject({ status: 'ERROR', code: 'cancelled' });
    expect(gateway.routes.get('shop')?.revision).toBe(first);
    await expectSound(platform);
  });

  it('after the traffic moved restores it to what is recorded', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const first = (await platform.deploy('shop')).at(-1)?.revision;
    const { db, gateway } = platform.run;
    const mend = await refuseWrites(db, 'deployments', 'update', 'current_revision');
    const events = await platform.deploy('shop');
    expectOrdered(events);
    expect(events.at(-1)).toMatchObject({ status: 'ERROR', code: 'internal' });
    await waitUntil('the route is back', () => gateway.routes.get('shop')?.revision === first);
    await mend();
    await expectSound(platform);
  });
});

describe('a lease', () => {
  it('keeps others away while it is renewed, and is taken over when it has run out', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const id = await hang(platform);
    const { db } = platform.run;
    const cluster = { ...createSoleCluster(platform.clock), owner: 'another process' };
    const other = createDeployLeases({ db, cluster, leaseMs: 30_000 });
    const take = async () => (await other.take({ isForced: false, except: [] })).map((deploy) => deploy.id);
    expect(await take()).toEqual([]);
    await platform.clock.elapse(90_000);
    expect(await take()).toEqual([]);
    platform.clock.jump(30_001);
    expect(await take()).toEqual([id]);
    // The one that lost it records nothing more, not even that it was canceled.
    const before = await newestDeploy(platform);
    await platform.call('POST', `/v1/deploys/${id}/cancel`);
    await platform.run.deployments.close(1_000);
    expect(await newestDeploy(platform)).toMatchObject({
      step: 'building',
      last_seq: before.last_seq,
      lease_owner: 'another process',
    });
  });

  // Fails when what another process drives is taken up before its lease has run out, or not in the order of acceptance.
  it('of another process is taken over when it has run out, the oldest first', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    await platform.deploy('shop');
    const { db } = platform.run;
    const lease = { lease_owner: 'another process', lease_expires_at: platform.clock.nowMs() + 45_000 };
    const fresh = { kind: 'redeploy', step: 'queued', ended_at: null, last_seq: 0 } as const;
    const row = { ...(await newestDeploy(platform)), ...lease, ...fresh };
    // The later one is found first.
    for (const number of [11, 10]) {
      await db
        .insertInto('deploys')
        .values({ ...row, number, id: `dpl_${number}` })
        .execute();
    }
    const ended = () =>
      db
        .selectFrom('deploys')
        .select(['number', 'revision'])
        .where('ended_at', 'is not', null)
        .orderBy('number')
        .execute();
    await platform.clock.elapse(40_000);
    expect(await ended()).toHaveLength(1);
    await platform.clock.elapse(20_000);
    await waitUntil('both have ended', async () => (await ended()).length === 3);
    expect((await ended()).map(({ number, revision }) => [number, revision?.slice(0, 10)])).toEqual([
      ...[[1, 'shop-00001']],
      ...[[10, 'shop-00002']],
      ...[[11, 'shop-00003']],
    ]);
  });

  // Fails when a process that lost its lease while it built records what it built, or that it failed.
  it('that was lost during a build leaves the deploy to who has it, with a warning', async () => {
    const lines: string[] = [];
    await using platform = await createPlatform({ logger: createRecordingLogger(lines) });
    await platform.boot();
    const built = Promise.withResolvers<void>();
    platform.builder.whenBuilding(() => built.promise);
    await platform.call('POST', '/v1/deploy', { form: deployForm('shop') });
    await waitUntil('it builds', () => platform.builder.requests.length > 0);
    const { id } = await newestDeploy(platform);
    await platform.run.db.updateTable('deploys').set({ lease_owner: 'another process' }).where('id', '=', id).execute();
    built.resolve();
    const told = () =>
      lines.map((line) => JSON.parse(line) as { readonly message: string; readonly deployId?: string });
    await waitUntil('it is told', () =>
      told().some(({ message }) => message === 'another process is running this deploy'),
    );
    expect(told().at(-1)).toMatchObject({ level: 'warn', deployId: id });
    expect(await newestDeploy(platform)).toMatchObject({ step: 'building', ended_at: null, code: null });
    expect(platform.run.gateway.calls).toEqual([]);
  });

  it('is let go when the platform closes, and nothing more is accepted', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    await hang(platform);
    await platform.run.deployments.close(1_000);
    await platform.run.deployments.close(1_000);
    expect(await newestDeploy(platform)).toMatchObject({ lease_owner: null, ended_at: null });
    const answer = await platform.call('POST', '/v1/deploy', { form: deployForm('other') });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
    expect(await platform.builder.archives()).toHaveLength(1);
  });

  it('given up in order is no attempt, however often', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const id = await hang(platform);
    for (let restart = 0; restart < 6; restart++) {
      const builds = platform.builder.requests.length;
      await platform.run.deployments.close(1_000);
      await platform.kill();
      await platform.boot();
      await waitUntil('it builds again', () => platform.builder.requests.length > builds);
    }
    platform.builder.whenBuilding(() => {});
    await platform.run.deployments.close(1_000);
    await platform.kill();
    await platform.boot();
    expect((await eventsOf(platform, id)).at(-1)?.status).toBe('DONE');
  });

  it('does not keep a platform from closing whose build does not end', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const { build } = platform.builder;
    platform.builder.build = (request) => build(request, { signal: new AbortController().signal });
    await hang(platform);
    const closed = platform.run.deployments.close(1_000);
    await platform.clock.elapse(1_000);
    await closed;
    expect((await newestDeploy(platform)).ended_at).toBeNull();
  });

  // Fails when the platform closes its database while a deploy still stops, or leaves a timer behind.
  it('is given up only when its build has stopped', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const stopped = Promise.withResolvers<void>();
    const { build } = platform.builder;
    platform.builder.build = (request, options) =>
      build(request, options).catch(async (error: unknown) => {
        await stopped.promise;
        throw error;
      });
    const id = await hang(platform);
    let isClosed = false;
    const closing = platform.run.deployments.close(60_000).then(() => {
      isClosed = true;
    });
    await platform.clock.elapse(1_000);
    expect(isClosed).toBe(false);
    stopped.resolve();
    await closing;
    expect(platform.clock.pending).toBe(0);
    expect(await newestDeploy(platform)).toMatchObject({ id, lease_owner: null, ended_at: null });
  });
});

describe('a start of the platform', () => {
  it('registers all that serves, without the one that cannot be', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const [one, two] = [
      (await platform.deploy('one')).at(-1)?.revision,
      (await platform.deploy('two')).at(-1)?.revision,
    ];
    await platform.deploy('three');
    platform.run.gateway.whenActivating(() => {
      throw createError('start_failed', 'no');
    });
    await platform.deploy('four');
    await platform.run.db.updateTable('revisions').set({ artifact: null }).where('deployment', '=', 'three').execute();
    await platform.kill();
    const { gateway } = await platform.boot();
    expect([...gateway.calls].sort()).toEqual([`register ${one}`, `register ${two}`].sort());
  });
});
