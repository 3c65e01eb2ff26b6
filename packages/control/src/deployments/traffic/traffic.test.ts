import type { DeployEvent, DeploymentDetail, Traffic } from '@berth/contract';
import { sideRoute } from '@berth/gateway';
import type { AccountId } from '@berth/kit';
import { waitUntil } from '@berth/testkit';
import { describe, expect, it } from 'vitest';
import { createVolumeStore } from '../../volumes/volume-store.ts';
import { createPlatform, deployForm, type Platform, readEvents } from '../deploys/testing/platform.ts';

const deploy = async (platform: Platform, fields: Readonly<Record<string, string>> = {}) => {
  const last = (await platform.deploy('shop', { fields })).at(-1);
  if (last?.status !== 'DONE') throw new Error(last?.message);
  return last;
};
const revisionOf = async (platform: Platform, fields = {}) => (await deploy(platform, fields)).revision ?? '';
const set = (platform: Platform, json: Readonly<Record<string, unknown>>, key?: string) =>
  platform.call('POST', '/v1/deployment/traffic', { json: { name: 'shop', ...json }, ...(key ? { key } : {}) });
const shown = async (platform: Platform) =>
  (await (await platform.call('GET', '/v1/deployment/shop')).json()) as DeploymentDetail;
const routes = ({ run }: Platform) => [...run.gateway.routes.keys()].sort();

async function refusal(answer: Promise<Response>): Promise<string> {
  const { status } = await answer;
  return `${status} ${await (await answer).text()}`;
}

describe('tags', () => {
  it('give a revision an address and a route of its own, with or without traffic', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const first = await revisionOf(platform, { tag: 'stable' });
    const second = await deploy(platform, { tag: 'beta', no_traffic: 'true', min_instances: '2' });
    expect(second.url).toBe('http://beta---shop.localhost:8787');
    const side = sideRoute('shop', second.revision ?? '');
    expect(await shown(platform)).toMatchObject({
      ...{ revision: first, status: 'ready', instances: 2 },
      traffic: {
        split: [{ revision: first, percent: 100 }],
        tags: [
          { tag: 'beta', revision: second.revision, url: 'http://beta---shop.localhost:8787' },
          { tag: 'stable', revision: first },
        ],
        canary: null,
      },
    });
    expect(platform.run.gateway.rules).toEqual([
      { deployment: 'shop', split: [], tags: { 'stable---shop': 'shop', 'beta---shop': side } },
    ]);
    expect(platform.run.gateway.routes.get(side)).toMatchObject({ deployment: 'shop', minInstances: 0 });
    // The tag stays with its revision when another one gets the traffic.
    await deploy(platform);
    expect(routes(platform)).toEqual(['shop', sideRoute('shop', first), side].sort());
    // A removed tag takes the route with it.
    const left = (await (await set(platform, { remove_tags: ['beta', 'unknown'] })).json()) as Traffic;
    expect(left.tags.map(({ tag }) => tag)).toEqual(['stable']);
    expect(routes(platform)).toEqual(['shop', sideRoute('shop', first)]);
  });

  it('keep the builds of their revisions, and so do shares', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const tagged = await revisionOf(platform, { tag: 'old' });
    const shared = await revisionOf(platform);
    for (let count = 0; count < 6; count++) await deploy(platform);
    await set(platform, { split: { [shared]: 10 } });
    platform.clock.advance(3_600_000);
    await platform.run.deployments.prune({ isDryRun: false });
    const { revisions } = await shown(platform);
    const states = new Map(revisions.map(({ revision, status }) => [revision, status]));
    expect([states.get(tagged), states.get(shared)]).toEqual(['ready', 'ready']);
    await deploy(platform);
    platform.clock.advance(3_600_000);
    await platform.run.deployments.prune({ isDryRun: false });
    const after = new Map((await shown(platform)).revisions.map(({ revision, status }) => [revision, status]));
    expect([after.get(tagged), after.get(shared)]).toEqual(['ready', 'retired']);
  });

  it('keep the volumes of their revisions, whose schedules are not set', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    await deploy(platform);
    const fields = { volumes: '{"/data":"records"}', schedule: '0 5 * * *', no_traffic: 'true' };
    const events = await platform.deploy('shop', { fields: { ...fields, tag: 'beta' } });
    expect(events.map(({ message }) => message).filter((message) => /Volume|Schedule/.test(message))).toEqual([
      'Volume created: records',
    ]);
    expect(await platform.run.db.selectFrom('schedules').selectAll().execute()).toEqual([]);
    const volumes = createVolumeStore(platform.run.db);
    expect(await volumes.heldBy('acc_alice' as AccountId, 'records')).toEqual(['shop']);
    await set(platform, { remove_tags: ['beta'] });
    expect(await volumes.heldBy('acc_alice' as AccountId, 'records')).toEqual([]);
  });

  it('that can not be an address are refused, and names that could be one', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const revision = await revisionOf(platform);
    for (const tag of ['Beta', 'a---b', '-a', 'a'.repeat(60), '']) {
      expect(await refusal(set(platform, { set_tags: { [tag]: revision } }))).toMatch(/^422 .*tag/i);
    }
    const send = (name: string, fields = {}) =>
      refusal(platform.call('POST', '/v1/deploy', { form: deployForm(name, { fields }) }));
    expect(await send('beta---shop')).toMatch(/^422 .*separates a tag from a name/);
    expect(await send('shop', { tag: 'x---y' })).toMatch(/^422 .*The tag must/);
    expect(await send('shop', { canary: '10', no_traffic: 'true' })).toMatch(/^422 .*not both/);
    expect(await send('shop', { canary_for: '10' })).toMatch(/^422 .*only with canary/);
    expect(await send('new', { no_traffic: 'true' })).toMatch(/^409 .*first deploy gets all traffic/);
    const tags = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`t${at}`, revision]));
    expect((await set(platform, { set_tags: tags })).status).toBe(200);
    expect(await refusal(set(platform, { set_tags: { more: revision } }))).toMatch(/^422 .*more than 20 tags/);
    expect(await send('shop', { tag: 'more' })).toMatch(/^422 .*20 tags/);
    expect((await set(platform, { set_tags: { more: revision }, remove_tags: ['t1'] })).status).toBe(200);
  });
});

describe('a split', () => {
  it('is shown, served, and ended by a deploy and by a rollback; a restart and a stop keep it', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const [first, second, third] = [await revisionOf(platform), await revisionOf(platform), await revisionOf(platform)];
    const answer = await set(platform, { split: { [first]: 10, [second]: 20 } });
    expect(((await answer.json()) as Traffic).split).toEqual([
      { revision: third, percent: 70 },
      { revision: first, percent: 10 },
      { revision: second, percent: 20 },
    ]);
    expect(platform.run.gateway.rules).toMatchObject([
      { deployment: 'shop', split: [{ percent: 70 }, {}, {}], tags: {} },
    ]);
    const change = async (kind: string) =>
      readEvents(await platform.call('POST', `/v1/deployment/${kind}`, { json: { name: 'shop' } }));
    await change('restart');
    expect(platform.run.gateway.routes.get(sideRoute('shop', first))?.generation).toBe(1);
    await change('stop');
    expect(platform.run.gateway.routes.get(sideRoute('shop', first))?.isStopped).toBe(true);
    await change('resume');
    expect((await shown(platform)).traffic?.split).toHaveLength(3);
    await deploy(platform);
    expect([(await shown(platform)).traffic?.split.length, routes(platform)]).toEqual([1, ['shop']]);
    await set(platform, { split: { [first]: 50 } });
    await change('rollback');
    expect([(await shown(platform)).traffic?.split.length, platform.run.gateway.rules]).toEqual([1, []]);
    await set(platform, { split: { [first]: 50 } });
    await set(platform, { split: {} });
    expect((await shown(platform)).traffic?.split).toHaveLength(1);
  });

  it('has whole percentages of ready revisions, which sum up to 100', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const [first, second] = [await revisionOf(platform), await revisionOf(platform)];
    for (const [split, reason] of [
      [{ [first]: 101 }, /^422/],
      [{ [first]: 0.5 }, /^422/],
      [{ [first]: -1 }, /^422/],
      [{ [first]: 60, [second]: 60 }, /^422 .*sum up to 120/],
      [{ [first]: 10, [second]: 80 }, /^422 .*sum up to 90/],
      [{ 'shop-00009-abc': 10 }, /^422 .*no ready revision/],
    ] as const) {
      expect(await refusal(set(platform, { split }))).toMatch(reason);
    }
    expect((await set(platform, { split: { [first]: 100 } })).status).toBe(200);
    expect((await set(platform, { split: { [first]: 30, [second]: 70 } })).status).toBe(200);
    // Revisions and deployments of other accounts are out of reach.
    expect((await set(platform, { split: {} }, 'bob')).status).toBe(403);
    await platform.deploy('other', { key: 'bob' });
    const [other] = await platform.run.db
      .selectFrom('revisions')
      .select('revision')
      .where('deployment', '=', 'other')
      .execute();
    expect(await refusal(set(platform, { set_tags: { x: other?.revision } }))).toMatch(/^422 .*no ready revision/);
  });

  it('is served again after kill -9, and gone with its deployment', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const [first] = [await revisionOf(platform), await revisionOf(platform)];
    await set(platform, { split: { [first]: 10 }, set_tags: { old: first } });
    const { rules } = platform.run.gateway;
    await platform.kill();
    await platform.boot();
    expect([routes(platform), platform.run.gateway.rules]).toEqual([['shop', sideRoute('shop', first)], rules]);
    await platform.call('POST', '/v1/deployment/delete', { json: { name: 'shop' } });
    await waitUntil('it is deleted', async () => (await platform.call('GET', '/v1/deployment/shop')).status === 404);
    expect([routes(platform), platform.run.gateway.rules]).toEqual([[], []]);
    for (const table of ['traffic_shares', 'traffic_tags'] as const) {
      expect(await platform.run.db.selectFrom(table).selectAll().execute()).toEqual([]);
    }
  });

  it('does not make a revision that never had all traffic the one to roll back to', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const first = await revisionOf(platform);
    await deploy(platform, { no_traffic: 'true' });
    expect(routes(platform)).toEqual(['shop']);
    await deploy(platform);
    const events = await readEvents(await platform.call('POST', '/v1/deployment/rollback', { json: { name: 'shop' } }));
    expect(events.at(-1)?.revision).toBe(first);
  });
});

describe('a canary', () => {
  /** Starts a canary, and resolves when it gets traffic. */
  async function begin(platform: Platform, fields: Readonly<Record<string, string>> = {}) {
    const form = deployForm('shop', { fields: { canary: '10', canary_for: '60', ...fields } });
    const events = platform.call('POST', '/v1/deploy', { form }).then(readEvents);
    // A process that is killed breaks it off.
    events.catch(() => {});
    await waitUntil('it gets traffic', () => platform.run.gateway.rules.some(({ split }) => split.length === 2));
    const { traffic } = await shown(platform);
    return { events, canary: traffic?.canary?.revision ?? '', deployId: traffic?.canary?.deploy_id ?? '', traffic };
  }
  async function count({ run }: Platform, revision: string, requests: number, errors: number) {
    await run.db.insertInto('canary_counts').values({ deployment: 'shop', revision, requests, errors }).execute();
  }
  /** Lets time pass until the deploy has ended. */
  async function finish(platform: Platform, events: Promise<DeployEvent[]>, stepMs: number): Promise<DeployEvent[]> {
    let isOver = false;
    const over = events.finally(() => {
      isOver = true;
    });
    await waitUntil('it is over', () => {
      if (!isOver) platform.clock.advance(stepMs);
      return isOver;
    });
    return over;
  }

  it('that does well gets all traffic when its time is over', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const first = await revisionOf(platform);
    const { events, canary, traffic } = await begin(platform, { tag: 'next' });
    expect(traffic?.split).toEqual([
      { revision: first, percent: 90 },
      { revision: canary, percent: 10 },
    ]);
    await count(platform, first, 900, 18);
    await count(platform, canary, 100, 4);
    const all = await finish(platform, events, 20_000);
    expect(all.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        `${canary} gets 10 % of the traffic for 60 s`,
        `The canary did well: 4 of 100 requests to ${canary} failed, 18 of 900 requests to ${first} failed. It gets all traffic.`,
      ]),
    );
    expect(all.at(-1)).toMatchObject({ status: 'DONE', revision: canary });
    const { revision, traffic: after } = await shown(platform);
    expect([revision, after?.split, after?.canary, routes(platform)]).toEqual([
      ...[canary, [{ revision: canary, percent: 100 }], null, ['shop']],
    ]);
    expect(platform.run.gateway.rules).toEqual([{ deployment: 'shop', split: [], tags: { 'next---shop': 'shop' } }]);
  });

  it('that is clearly worse loses its traffic, fails its deploy and is in the audit log', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const first = await revisionOf(platform);
    const { events, canary, deployId } = await begin(platform);
    await count(platform, first, 900, 9);
    await count(platform, canary, 100, 6);
    const all = await finish(platform, events, 1_000);
    expect(all.at(-1)).toMatchObject({ status: 'ERROR', code: 'canary_failed' });
    expect(all.at(-1)?.message).toContain(
      `6 of 100 requests to ${canary} failed, 9 of 900 requests to ${first} failed`,
    );
    await waitUntil('it has no route', () => routes(platform).length === 1);
    const { revision, traffic, revisions } = await shown(platform);
    expect([revision, traffic?.split.length, platform.run.gateway.rules]).toEqual([first, 1, []]);
    // The build is kept, for a look at it.
    expect(revisions.find((one) => one.revision === canary)?.status).toBe('ready');
    // The alert `deploy_failed` goes by this.
    const row = await platform.run.db
      .selectFrom('deploys')
      .select(['step', 'code'])
      .where('id', '=', deployId)
      .executeTakeFirst();
    expect(row).toEqual({ step: 'failed', code: 'canary_failed' });
    const lines = await platform.run.db
      .selectFrom('audit_log')
      .selectAll()
      .where('action', '=', 'deployment.traffic')
      .execute();
    expect(lines).toMatchObject([{ actor_kind: 'system', target: 'shop', account_id: 'acc_alice' }]);
  });

  it('is watched on after kill -9', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    await revisionOf(platform);
    const { canary, deployId } = await begin(platform);
    await platform.kill();
    await platform.boot();
    await waitUntil('it has its share', () => platform.run.gateway.rules.some(({ split }) => split.length === 2));
    const events = platform.call('GET', `/v1/deploys/${deployId}/events`).then(readEvents);
    expect((await finish(platform, events, 10_000)).at(-1)).toMatchObject({ status: 'DONE', revision: canary });
  });

  it('can be canceled, and keeps the split from other changes until then', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const first = await revisionOf(platform);
    const { events, deployId, canary } = await begin(platform);
    expect(await refusal(set(platform, { split: {} }))).toMatch(/^409 .*berth cancel/);
    expect((await set(platform, { set_tags: { look: canary } })).status).toBe(200);
    await platform.call('POST', `/v1/deploys/${deployId}/cancel`);
    expect((await events).at(-1)).toMatchObject({ status: 'ERROR', code: 'cancelled' });
    await waitUntil('the split is over', () => platform.run.gateway.rules.every(({ split }) => split.length === 0));
    expect((await shown(platform)).revision).toBe(first);
    expect(routes(platform)).toEqual(['shop', sideRoute('shop', canary)]);
  });
});
