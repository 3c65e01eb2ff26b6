import type { DeployEvent, StateChange } from '@berth/contract';
import { createError } from '@berth/contract';
import { waitUntil } from '@berth/testkit';
import { describe, expect, it } from 'vitest';
import { expectOrdered } from './testing/invariants.ts';
import { createPlatform, type Platform, readEvents } from './testing/platform.ts';

const FIELDS = { schedule: '{"cron":"0 5 * * *","timezone":"Europe/Oslo"}' };

const change = (platform: Platform, kind: StateChange, key?: string) =>
  platform.call('POST', `/v1/deployment/${kind}`, { json: { name: 'shop' }, ...(key ? { key } : {}) });
const changed = async (platform: Platform, kind: StateChange) => readEvents(await change(platform, kind));
const set = (platform: Platform, values: Readonly<Record<string, string>>) =>
  platform.call('POST', '/v1/env/set', { json: { deployment_name: 'shop', set: values } });
const sentences = (events: readonly DeployEvent[]) => events.map(({ status, message }) => `${status} ${message}`);
const routeOf = ({ run }: Platform) => run.gateway.routes.get('shop');
const schedules = ({ run }: Platform) => run.db.selectFrom('schedules').select('deployment').execute();

async function shown(platform: Platform) {
  return (await platform.call('GET', '/v1/deployment/shop')).json() as Promise<Record<string, unknown>>;
}

async function createShop(platform: Platform): Promise<string> {
  await platform.boot();
  return (await platform.deploy('shop', { fields: FIELDS })).at(-1)?.revision ?? '';
}

describe('a restart', () => {
  // Fails when it makes a revision, or when the gateway takes it for the route that it has.
  it('starts the same revision in a new generation, with the variables that it had', async () => {
    await using platform = await createPlatform();
    const revision = await createShop(platform);
    const events = await changed(platform, 'restart');
    expectOrdered(events);
    expect(sentences(events)).toEqual([
      'BUILDING Restarting shop',
      `DEPLOYING Restarting ${revision}`,
      `DONE ${revision} serves at http://shop.localhost:8787`,
    ]);
    expect(platform.run.gateway.calls.slice(-2)).toEqual([`activate ${revision}`, `activate ${revision}`]);
    expect(routeOf(platform)).toMatchObject({ revision, generation: 1, isStopped: false });
    expect(await shown(platform)).toMatchObject({ status: 'ready', revision });
    await changed(platform, 'restart');
    expect(routeOf(platform)).toMatchObject({ revision, generation: 2 });
    // A rollback still goes to the revision before.
    const second = (await platform.deploy('shop', { fields: FIELDS })).at(-1)?.revision;
    await changed(platform, 'restart');
    await readEvents(await platform.call('POST', '/v1/deployment/rollback', { json: { name: 'shop' } }));
    expect([second === revision, routeOf(platform)?.revision]).toEqual([false, revision]);
  });

  it('that fails leaves what serves, and its revision', async () => {
    await using platform = await createPlatform();
    const revision = await createShop(platform);
    platform.run.gateway.whenActivating(() => {
      throw createError('start_failed', 'It exited.');
    });
    const events = await changed(platform, 'restart');
    expect(events.at(-1)).toMatchObject({ status: 'ERROR', message: `It exited. ${revision} keeps serving.` });
    expect(routeOf(platform)).toMatchObject({ revision, generation: 0 });
    expect(await shown(platform)).toMatchObject({ status: 'ready', revisions: [{ revision, status: 'ready' }] });
  });

  // Fails when the route of the database is another than that of the gateway after a restart of the platform.
  it('that a crash interrupts is finished by the next start', async () => {
    await using platform = await createPlatform();
    const revision = await createShop(platform);
    const { promise, resolve } = Promise.withResolvers<void>();
    platform.run.gateway.whenActivating(() => promise);
    const before = platform.run.gateway.calls.length;
    void change(platform, 'restart');
    await waitUntil('it starts', () => platform.run.gateway.calls.length > before);
    await platform.kill();
    resolve();
    await platform.boot();
    await waitUntil('it is done', () => routeOf(platform)?.generation === 1);
    expect(platform.run.gateway.calls).toEqual([`register ${revision}`, `activate ${revision}`]);
  });
});

describe('a stopped deployment', () => {
  it('has a route that refuses, no schedule, and another status, also after a restart of the platform', async () => {
    await using platform = await createPlatform();
    const revision = await createShop(platform);
    const events = await changed(platform, 'stop');
    expect(sentences(events).slice(1)).toEqual([
      `DEPLOYING Stopping ${revision}`,
      'DONE shop is stopped, and its schedule is paused',
    ]);
    expect(events.at(-1)?.url).toBeUndefined();
    const stopped = { revision, generation: 1, isStopped: true };
    expect(routeOf(platform)).toMatchObject(stopped);
    expect(await schedules(platform)).toEqual([]);
    expect(await shown(platform)).toMatchObject({ status: 'stopped', instances: 0, schedule: { cron: '0 5 * * *' } });
    await platform.kill();
    await platform.boot();
    // Fails when a start of the platform wakes it.
    expect(routeOf(platform)).toMatchObject(stopped);
    const resumed = await changed(platform, 'resume');
    expect(resumed.at(-1)).toMatchObject({ status: 'DONE', url: 'http://shop.localhost:8787' });
    expect(routeOf(platform)).toMatchObject({ revision, generation: 2, isStopped: false });
    expect(await schedules(platform)).toEqual([{ deployment: 'shop' }]);
    expect(await shown(platform)).toMatchObject({ status: 'ready' });
  });

  it('keeps changed variables for when it is resumed', async () => {
    await using platform = await createPlatform();
    const revision = await createShop(platform);
    await changed(platform, 'stop');
    const calls = platform.run.gateway.calls.length;
    expect(await (await set(platform, { A: '1' })).json()).toMatchObject({
      status: 'stored',
      detail: 'The variables of "shop" are stored and apply when it is resumed.',
    });
    // Fails when a change of variables starts it.
    expect([platform.run.gateway.calls.length, routeOf(platform)?.isStopped]).toEqual([calls, true]);
    await changed(platform, 'resume');
    expect(routeOf(platform)).toMatchObject({ env: { A: '1' }, isStopped: false });
    expect(routeOf(platform)?.revision).not.toBe(revision);
  });

  it('that can’t be started stays stopped', async () => {
    await using platform = await createPlatform();
    await createShop(platform);
    await changed(platform, 'stop');
    platform.run.gateway.whenActivating(() => {
      throw createError('start_failed', 'It exited.');
    });
    const { message, status } = (await changed(platform, 'resume')).at(-1) ?? {};
    expect([status, message]).toEqual(['ERROR', 'It exited.']);
    expect(await shown(platform)).toMatchObject({ status: 'stopped' });
    expect(routeOf(platform)).toMatchObject({ generation: 1, isStopped: true });
  });

  it('is started by a deploy', async () => {
    await using platform = await createPlatform();
    await createShop(platform);
    await changed(platform, 'stop');
    expect((await platform.deploy('shop', { fields: FIELDS })).at(-1)?.status).toBe('DONE');
    expect(await shown(platform)).toMatchObject({ status: 'ready' });
    expect(routeOf(platform)).toMatchObject({ generation: 2, isStopped: false });
  });
});

it('refuses what a state does not allow, other accounts, and keys that only read', async () => {
  await using platform = await createPlatform();
  await createShop(platform);
  const answer = async (kind: StateChange, key?: string) => {
    const response = await change(platform, kind, key);
    return [response.status, ((await response.json()) as { detail: string }).detail];
  };
  expect(await answer('resume')).toEqual([409, '"shop" isn\'t stopped.']);
  for (const kind of ['restart', 'stop', 'resume'] as const) {
    expect((await answer(kind, 'bob'))[0]).toBe(403);
    expect((await answer(kind, 'alice-read'))[0]).toBe(403);
  }
  await changed(platform, 'stop');
  expect(await answer('stop')).toEqual([409, '"shop" is stopped already.']);
  expect(await answer('restart')).toEqual([409, '"shop" is stopped. Start it with `berth resume shop`.']);
  const none = await platform.call('POST', '/v1/deployment/stop', { json: { name: 'none' } });
  expect(none.status).toBe(404);
  const audit = await platform.run.db.selectFrom('audit_log').select('action').execute();
  expect(audit.map(({ action }) => action).filter((action) => action === 'deployment.stop')).toHaveLength(1);
});
