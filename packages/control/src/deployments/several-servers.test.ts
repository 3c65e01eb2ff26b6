import type { DeployEvent, Instance } from '@berth/contract';
import { waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { createPausableClock, createSharedDatabase, type PausableClock } from '../cluster/testing/open-servers.ts';
import { expectOrdered } from './deploys/testing/invariants.ts';
import { createPlatform, deployForm, type Platform, readEvents } from './deploys/testing/platform.ts';
import { REPORT_MS } from './instances/list-instances.ts';

/** Short, so that a test waits for the end of one. */
const LEASE_MS = 900;

/** Two servers with folders, builders and gateways of their own, on one database. */
interface Servers extends AsyncDisposable {
  readonly a: Platform;
  readonly b: Platform;
  /** The clock of A. */
  readonly clock: PausableClock;
  /** Deployments whose data B's runtime was told to forget. */
  readonly forgotten: string[];
}

async function createServers(): Promise<Servers> {
  const database = await createSharedDatabase();
  const clock = createPausableClock();
  const forgotten: string[] = [];
  const server = (own: PausableClock, forget: (deployment: string) => void) =>
    createPlatform({
      open: database.open,
      join: (opened) => ({
        cluster: database.join(opened, own),
        clock: own,
        leaseMs: LEASE_MS,
        forgetOwner: async ({ deployment }) => forget(deployment),
      }),
    });
  const a = await server(clock, () => {});
  const b = await server(createPausableClock(), (deployment) => void forgotten.push(deployment));
  await a.boot();
  await b.boot();
  return {
    ...{ a, b, clock, forgotten },
    async [Symbol.asyncDispose]() {
      clock.resume();
      await a[Symbol.asyncDispose]();
      await b[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

const newestDeploy = ({ run }: Platform) =>
  run.db.selectFrom('deploys').selectAll().orderBy('number', 'desc').executeTakeFirstOrThrow();
const follow = async (platform: Platform, id: string) =>
  readEvents(await platform.call('GET', `/v1/deploys/${id}/events`));
const routeOf = ({ run }: Platform) => run.gateway.routes.get('shop')?.revision;
const lines = (events: readonly DeployEvent[]) => events.map(({ status, message }) => `${status} ${message}`);

/** Starts a deploy whose build waits for `end`. */
async function build(platform: Platform): Promise<{ readonly id: string; end(): void }> {
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const before = platform.builder.requests.length;
  platform.builder.whenBuilding(() => promise);
  await platform.call('POST', '/v1/deploy', { form: deployForm('shop') });
  await waitUntil('it builds', () => platform.builder.requests.length > before);
  return { id: (await newestDeploy(platform)).id, end };
}

// Fails when B's stream hears of events only every 15 s, when B drives what A drives, or when B's gateway does not follow.
test('a deploy on one server is followed on the other, which serves it then', async () => {
  await using servers = await createServers();
  const { a, b } = servers;
  const { id, end } = await build(a);
  const events = follow(b, id);
  end();
  expectOrdered(await events);
  expect((await events).at(-1)).toMatchObject({ status: 'DONE', revision: routeOf(a) });
  await waitUntil('B serves it', () => routeOf(b) === routeOf(a));
  expect(b.builder.requests).toEqual([]);
  expect(b.run.gateway.calls).toEqual([`register ${routeOf(a)}`]);

  const second = (await a.deploy('shop')).at(-1)?.revision;
  await waitUntil('B serves the second', () => routeOf(b) === second);
  await b.call('POST', '/v1/deployment/rollback', { json: { name: 'shop' } });
  await waitUntil('both are back', () => routeOf(a) === routeOf(b) && routeOf(a) !== second);

  await b.call('POST', '/v1/env/set', { json: { deployment_name: 'shop', set: { A: '1' } } });
  await waitUntil('both have the variables', () => routeOf(a) === routeOf(b) && routeOf(a)?.includes('00003') === true);
  expect(a.run.gateway.routes.get('shop')?.env).toMatchObject({ A: '1' });

  await a.call('POST', '/v1/deployment/delete', { json: { name: 'shop' } });
  await waitUntil('B serves it no more', () => routeOf(b) === undefined);
  await waitUntil('the data of B is gone', () => servers.forgotten.includes('shop'));
});

// Fails when a follower waits for notices of the server that died, or the deploy waits for its restart.
test('a deploy whose server is killed is finished by the other, and its stream goes on', async () => {
  await using servers = await createServers();
  const { a, b } = servers;
  const { id } = await build(a);
  const events = follow(b, id);
  await a.kill();
  expectOrdered(await events);
  expect(lines(await events)).toContain('BUILDING Rebuilding after a platform restart');
  expect((await events).at(-1)?.status).toBe('DONE');
  expect([b.builder.requests.length, routeOf(b)]).toEqual([1, (await events).at(-1)?.revision]);
});

// Fails when a write carries no epoch: the paused server would record what it built, or that it failed.
test('a server that was paused beyond its lease while it built records nothing when it wakes', async () => {
  await using servers = await createServers();
  const { a, b, clock } = servers;
  const { id, end } = await build(a);
  clock.pause();
  const events = await follow(b, id);
  expect(events.at(-1)?.status).toBe('DONE');
  const before = await newestDeploy(b);
  end();
  clock.resume();
  await waitUntil('A follows B', () => routeOf(a) === before.revision);
  expect(await newestDeploy(b)).toEqual(before);
  expect(await follow(b, id)).toEqual(events);
  expect(a.run.gateway.calls).toEqual([`register ${before.revision}`]);
});

// Fails when the end of an activation is recorded without an epoch, or the paused server's own route stays where it put it.
test('a server that was paused while it started a revision finishes nothing when it wakes', async () => {
  await using servers = await createServers();
  const { a, b, clock } = servers;
  const first = (await a.deploy('shop')).at(-1)?.revision;
  const gate = Promise.withResolvers<void>();
  a.run.gateway.whenActivating(() => gate.promise);
  await a.call('POST', '/v1/deploy', { form: deployForm('shop') });
  await waitUntil('A starts it', async () => (await newestDeploy(b)).step === 'deploying');
  clock.pause();
  // B takes it over, can't start it, and records that.
  b.run.gateway.whenActivating(() => {
    throw new Error('no start here');
  });
  const { id } = await newestDeploy(b);
  expect((await follow(b, id)).at(-1)?.status).toBe('ERROR');
  a.run.gateway.whenActivating(() => {});
  gate.resolve();
  clock.resume();
  await waitUntil('A is back at the first', () => routeOf(a) === first && a.run.gateway.calls.length >= 3);
  expect(await newestDeploy(b)).toMatchObject({ id, step: 'failed' });
  expect((await follow(b, id)).filter(({ status }) => status === 'DONE')).toEqual([]);
});

// Fails when each server only knows the queue of its own deploys.
test('deploys of one name run one after another, whichever servers accepted them', async () => {
  await using servers = await createServers();
  const { a, b } = servers;
  const { id, end } = await build(a);
  await b.call('POST', '/v1/deploy', { form: deployForm('shop') });
  const second = await newestDeploy(b);
  expect(second.id).not.toBe(id);
  const events = follow(b, second.id);
  // B runs deploys of other names meanwhile.
  expect((await b.deploy('blog')).at(-1)?.status).toBe('DONE');
  expect(b.builder.requests.map(({ revision }) => revision.slice(0, 4))).toEqual(['blog']);
  end();
  expect(lines(await events)[0]).toBe('BUILDING Waiting for an earlier deploy of shop');
  expect((await events).at(-1)?.revision).toContain('shop-00002');
  expect((await follow(b, id)).at(-1)?.revision).toContain('shop-00001');
});

// Fails when the request to cancel reaches only the server that got it, or the wait for the end of deploys sees only its own.
test('a deploy is canceled, and its deployment deleted, from the other server', async () => {
  await using servers = await createServers();
  const { a, b } = servers;
  const canceled = await build(a);
  expect((await b.call('POST', `/v1/deploys/${canceled.id}/cancel`)).status).toBeLessThan(300);
  expect((await follow(b, canceled.id)).at(-1)).toMatchObject({
    code: 'cancelled',
    message: 'The deploy was canceled.',
  });
  const deleted = await build(a);
  expect((await b.call('POST', '/v1/deployment/delete', { json: { name: 'shop' } })).status).toBe(200);
  expect((await follow(a, deleted.id)).at(-1)?.message).toBe('"shop" was deleted during this deploy.');
  expect(await b.run.db.selectFrom('deployments').select('name').execute()).toEqual([]);
});

// Fails when a deletion is left to the server that began it.
test('a deletion whose server is killed is finished by the other', async () => {
  await using servers = await createServers();
  const { a, b } = servers;
  await a.deploy('shop');
  a.run.gateway.whenRemoving(() => new Promise(() => {}));
  void a.call('POST', '/v1/deployment/delete', { json: { name: 'shop' } });
  await waitUntil('it is being removed', () => a.run.gateway.calls.includes('remove shop'));
  await a.kill();
  await waitUntil(
    'B has finished',
    async () => (await b.run.db.selectFrom('deployments').select('name').execute()).length === 0,
  );
});

// Fails when the first failure on B is the last try, or a failure on B is recorded for all.
test('a revision that cannot be started on one server serves on the other, and is tried again', async () => {
  await using servers = await createServers();
  const { a, b } = servers;
  await a.deploy('shop');
  await waitUntil('B serves the first', () => routeOf(b) !== undefined);
  let failures = 0;
  b.run.gateway.whenActivating(() => {
    if (failures++ === 0) throw new Error('no room');
  });
  const second = (await a.deploy('shop')).at(-1)?.revision;
  expect(routeOf(a)).toBe(second);
  await waitUntil('B serves the second', () => routeOf(b) === second);
  expect(failures).toBe(2);
});

// Fails when a server lists only its own instances, those of another account, or those of a server that is gone.
test('instances of all servers are listed on each, until a server stops reporting', async () => {
  await using servers = await createServers();
  const { a, b } = servers;
  const revision = (await a.deploy('shop')).at(-1)?.revision;
  await waitUntil('B serves it', () => routeOf(b) === revision);
  const list = async (platform: Platform, key = 'alice', query = '?name=shop') => {
    const answer = await platform.call('GET', `/v1/deployment/instances${query}`, { key });
    return (await answer.json()) as Instance[];
  };
  // The fakes of both servers give an instance the same name, so one of them is renamed.
  b.run.gateway.instances = async () => [
    {
      ...{ account: 'acc_alice', deployment: 'shop', revision: revision ?? '', instance: 'inst_b', state: 'ready' },
      ...{ startedAtMs: 0, inFlight: 7, isBusy: false, cpuMillis: 500, memoryBytes: 9 },
    },
  ];
  await waitUntil('A lists that of B', async () => (await list(a)).length === 2, 2 * REPORT_MS);
  const [own, other] = await list(a);
  expect(own).toMatchObject({ instance: `inst_${revision}`, requests: 0 });
  expect(other).toMatchObject({ instance: 'inst_b', deployment_name: 'shop', requests: 7, cpu: 0.5, memory_bytes: 9 });
  expect(own?.server).toMatch(/./);
  expect(other?.server).not.toBe(own?.server);
  expect(await list(a, 'alice', '')).toHaveLength(2);
  expect(await list(a, 'bob', '')).toEqual([]);
  expect((await a.call('GET', '/v1/deployment/instances?name=shop', { key: 'bob' })).status).toBe(403);
  expect((await a.call('GET', '/v1/deployment/instances?name=none')).status).toBe(404);
  await b.run.deployments.close(1_000);
  expect(await list(a)).toHaveLength(1);
});

// Fails when a follower compares revisions only: it would keep old instances after a restart, and serve after a stop.
test('a restart, a stop and a resumption on one server happen on the other too', async () => {
  await using servers = await createServers();
  const { a, b } = servers;
  const revision = (await a.deploy('shop')).at(-1)?.revision;
  await waitUntil('B serves it', () => routeOf(b) === revision);
  const route = ({ run }: Platform) => run.gateway.routes.get('shop');
  for (const [change, generation, isStopped] of [
    ['restart', 1, false],
    ['stop', 2, true],
    ['resume', 3, false],
  ] as const) {
    await readEvents(await a.call('POST', `/v1/deployment/${change}`, { json: { name: 'shop' } }));
    await waitUntil(`B follows a ${change}`, () => route(b)?.generation === generation);
    expect(route(b)).toMatchObject({ revision, isStopped });
    expect(route(a)).toMatchObject({ revision, generation, isStopped });
  }
});

const sharesOf = ({ run }: Platform) => run.gateway.rules.flatMap(({ split }) => split.map(({ percent }) => percent));

// Fails when a split is served by the server that was told of it alone, or stays where the deployment was deleted elsewhere.
test('a split and tags on one server are served by the other too', async () => {
  await using servers = await createServers();
  const { a, b } = servers;
  const first = (await a.deploy('shop')).at(-1)?.revision ?? '';
  await a.deploy('shop', { fields: { tag: 'new' } });
  await a.call('POST', '/v1/deployment/traffic', { json: { name: 'shop', split: { [first]: 10 } } });
  await waitUntil('B splits', () => sharesOf(b).join() === '90,10');
  expect(b.run.gateway.rules).toEqual(a.run.gateway.rules);
  expect([...b.run.gateway.routes.keys()].sort()).toEqual(['shop', `shop@${first}`]);
  await b.call('POST', '/v1/deployment/traffic', { json: { name: 'shop', split: {}, remove_tags: ['new'] } });
  await waitUntil('A has no rule', () => a.run.gateway.rules.length === 0 && a.run.gateway.routes.size === 1);
  await a.call('POST', '/v1/deployment/traffic', { json: { name: 'shop', set_tags: { old: first } } });
  await waitUntil('B has the tag', () => b.run.gateway.rules.length === 1);
  await a.call('POST', '/v1/deployment/delete', { json: { name: 'shop' } });
  await waitUntil('B has nothing', () => b.run.gateway.rules.length + b.run.gateway.routes.size === 0);
});

// Fails when a canary is judged by the server that began it alone.
test('a canary whose server is killed is watched by the other, which ends it when it fails', async () => {
  await using servers = await createServers();
  const { a, b } = servers;
  const first = (await a.deploy('shop')).at(-1)?.revision ?? '';
  void a
    .call('POST', '/v1/deploy', { form: deployForm('shop', { fields: { canary: '20', canary_for: '60' } }) })
    .catch(() => {});
  await waitUntil('both split', () => sharesOf(a).join() === '80,20' && sharesOf(b).join() === '80,20');
  const { id, revision } = await newestDeploy(b);
  const events = follow(b, id);
  await a.kill();
  const counts = { deployment: 'shop', revision: revision ?? '', requests: 20, errors: 10 };
  await b.run.db.insertInto('canary_counts').values(counts).execute();
  expect((await events).at(-1)).toMatchObject({ status: 'ERROR', code: 'canary_failed' });
  await waitUntil('B has one route', () => b.run.gateway.rules.length === 0 && b.run.gateway.routes.size === 1);
  expect(routeOf(b)).toBe(first);
});
