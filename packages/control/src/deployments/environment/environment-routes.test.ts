import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createError, LIMITS, setEnvironmentResponseSchema } from '@berth/contract';
import { isOnPostgres } from '@berth/database/testing';
import { createRecordingLogger, waitUntil } from '@berth/testkit';
import { describe, expect, it } from 'vitest';
import { expectSound } from '../deploys/testing/invariants.ts';
import { createPlatform, deployForm, type Platform, readEvents } from '../deploys/testing/platform.ts';

const set = async (platform: Platform, name: string, values: unknown, unset?: unknown, key = 'alice') => {
  const answer = await platform.call('POST', '/v1/env/set', {
    key,
    json: { deployment_name: name, set: values, unset },
  });
  return [answer.status, (await answer.json()) as { detail: unknown }] as const;
};
const list = async (platform: Platform, name: string, key = 'alice') => {
  const answer = await platform.call('GET', `/v1/env/list?name=${name}`, { key });
  return [answer.status, await answer.json()] as const;
};
const environmentOf = (platform: Platform, name: string) => platform.run.gateway.routes.get(name)?.env ?? {};

describe('a change of environment', () => {
  it('is in a new revision when it is answered, without a build', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const first = (await platform.deploy('shop', { fields: { port: '3000' } })).at(-1)?.revision;
    const [status, body] = await set(platform, 'shop', { A: 'first line\nsecond ü', EMPTY: '', DROPPED: 'x' });
    expect([status, setEnvironmentResponseSchema.strict().parse(body)]).toEqual([
      200,
      {
        detail: 'The variables of "shop" are set.',
        status: 'applied',
        deploy_id: expect.stringMatching(/^dpl_/),
        revision: expect.stringMatching(/^shop-00002-/),
      },
    ]);
    expect(environmentOf(platform, 'shop')).toMatchObject({ A: 'first line\nsecond ü', EMPTY: '', DROPPED: 'x' });
    expect(environmentOf(platform, 'shop')['K_REVISION']).not.toBe(first);
    expect(platform.run.gateway.routes.get('shop')?.port).toBe(3000);
    expect(platform.builder.requests).toHaveLength(1);
    await set(platform, 'shop', {}, ['DROPPED', 'NEVER_THERE']);
    await platform.deploy('shop');
    expect(environmentOf(platform, 'shop')).toMatchObject({ A: 'first line\nsecond ü', EMPTY: '' });
    expect(environmentOf(platform, 'shop')).not.toHaveProperty('DROPPED');
    await expectSound(platform);
  });

  it('that changes nothing makes no revision', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    await platform.deploy('shop');
    await set(platform, 'shop', { A: '1' });
    const calls = platform.run.gateway.calls.length;
    expect((await set(platform, 'shop', { A: '1' }, ['B']))[1]).toMatchObject({ status: 'unchanged', deploy_id: null });
    expect((await set(platform, 'shop', {}))[1]).toMatchObject({ status: 'unchanged' });
    expect(platform.run.gateway.calls).toHaveLength(calls);
  });

  it('before the first deploy is stored for it, and reserves the name', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    expect((await set(platform, 'early', { A: '1' }))[1]).toMatchObject({ status: 'stored', deploy_id: null });
    expect((await set(platform, 'early', { B: '2' }, undefined, 'bob'))[0]).toBe(403);
    expect(await list(platform, 'early')).toEqual([200, [{ key: 'A', updated_at: '2026-01-01T00:00:00.000Z' }]]);
    await platform.deploy('early');
    expect(environmentOf(platform, 'early')).toMatchObject({ A: '1' });
  });

  it('during the first deploy is in what serves in the end', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const starts = Promise.withResolvers<void>();
    platform.run.gateway.whenActivating(() => starts.promise);
    const deploy = platform.deploy('shop');
    await waitUntil('it starts', () => platform.run.gateway.calls.length === 1);
    const change = set(platform, 'shop', { A: '1' });
    await waitUntil('the change is recorded', async () => (await list(platform, 'shop'))[1].length === 1);
    starts.resolve();
    await deploy;
    expect((await change)[1]).toMatchObject({ status: 'applied' });
    expect(environmentOf(platform, 'shop')).toMatchObject({ A: '1' });
    await expectSound(platform);
  });

  it('that the service does not start with is told, stays set, and leaves the old revision with its own', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    await platform.deploy('shop');
    await set(platform, 'shop', { A: 'good' });
    const serving = platform.run.gateway.routes.get('shop')?.revision;
    platform.run.gateway.whenActivating(() => {
      throw createError('start_failed', 'The service exited with code 1.');
    });
    expect((await set(platform, 'shop', { A: 'bad' }))[1]).toMatchObject({
      status: 'failed',
      detail: `Not applied: The service exited with code 1. ${serving} keeps serving. The variables stay set and apply to the next deploy.`,
    });
    // Also after a restart, when its environment is read again.
    await platform.kill();
    await platform.boot();
    expect(platform.run.gateway.routes.get('shop')).toMatchObject({ revision: serving, env: { A: 'good' } });
    await platform.deploy('shop');
    expect(environmentOf(platform, 'shop')).toMatchObject({ A: 'bad' });
    await expectSound(platform);
  });

  it('that takes long is answered after a minute, with the deploy to follow', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    await platform.deploy('shop');
    const starts = Promise.withResolvers<void>();
    platform.run.gateway.whenActivating(() => starts.promise);
    const change = set(platform, 'shop', { A: '1' });
    await waitUntil('it starts', () => platform.run.gateway.calls.length === 2);
    await platform.clock.elapse(60_000);
    const [, body] = await change;
    expect(body).toMatchObject({ status: 'applying', revision: null });
    starts.resolve();
    const { deploy_id } = setEnvironmentResponseSchema.parse(body);
    const events = await readEvents(await platform.call('GET', `/v1/deploys/${deploy_id}/events`));
    expect(events.at(-1)?.status).toBe('DONE');
  });

  it('stays with a revision that is rolled back to', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    await platform.deploy('shop');
    await set(platform, 'shop', { A: '1' });
    await set(platform, 'shop', { A: '2' });
    const events = await readEvents(await platform.call('POST', '/v1/deployment/rollback', { json: { name: 'shop' } }));
    expect(environmentOf(platform, 'shop')).toMatchObject({ A: '1' });
    expect(events.some((event) => event.message.includes('with its original variables'))).toBe(true);
    await set(platform, 'shop', { B: '3' });
    expect(environmentOf(platform, 'shop')).toMatchObject({ A: '2', B: '3' });
    await expectSound(platform);
  });

  it('is refused where it cannot be, with every fault, and stores nothing', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    for (const [name, values, unset, places] of [
      ['shop', { '1A': 'x', PORT: '1', OK: 'x' }, [], ['body.set.1A', 'body.set.PORT']],
      ['shop', { A: 1 }, [], ['body.set.A']],
      ['shop', { A: 'nul\0' }, [], ['body.set.A']],
      ['shop', { A: '1' }, ['A'], ['body.unset.0']],
      ['shop', { A: 'x'.repeat(LIMITS.environmentBytes) }, [], ['body.set']],
      ['shop', 'A=1', [], ['body.set']],
      ['shop', {}, 'A', ['body.unset']],
      ['Upper', { A: '1' }, [], ['body.deployment_name']],
      ['api', { A: '1' }, [], ['body.deployment_name']],
      ['intranet', { A: '1' }, [], ['body.deployment_name']],
      [undefined, { A: '1' }, [], ['body.deployment_name']],
    ] as const) {
      const [status, { detail }] = await set(platform, name as string, values, unset);
      expect([values, status]).toEqual([values, 422]);
      expect((detail as { loc: string[] }[]).map((issue) => issue.loc.join('.'))).toEqual(places);
    }
    expect((await set(platform, 'shop', {}, ['A']))[0]).toBe(404);
    expect((await list(platform, 'shop'))[0]).toBe(404);
    expect((await set(platform, 'shop', { A: '1' }, [], 'alice-read'))[0]).toBe(403);
    expect(await platform.run.db.selectFrom('deployments').selectAll().execute()).toEqual([]);
  });

  it('counts what is set already against the size', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const half = 'x'.repeat(LIMITS.environmentBytes / 2);
    expect((await set(platform, 'shop', { A: half }))[0]).toBe(200);
    expect((await set(platform, 'shop', { B: half }))[0]).toBe(422);
    expect((await set(platform, 'shop', { B: half.slice(2) }))[0]).toBe(200);
    expect((await set(platform, 'shop', { C: half }))[0]).toBe(422);
    expect((await set(platform, 'shop', { C: half }, ['A']))[0]).toBe(200);
  });
});

describe('the values', () => {
  // On Postgres there is no file.
  it.skipIf(isOnPostgres)('are in no list, stream, log, audit line or file', async () => {
    const lines: string[] = [];
    await using platform = await createPlatform({ logger: createRecordingLogger(lines) });
    await platform.boot();
    const canary = 'canary-5b0c9d1e';
    await set(platform, 'shop', { SECRET: canary });
    const told = [JSON.stringify(await platform.deploy('shop'))];
    platform.run.gateway.whenActivating(() => {
      throw new Error('a fault of the gateway');
    });
    told.push(JSON.stringify((await set(platform, 'shop', { OTHER: canary }))[1]));
    told.push(await (await platform.call('POST', '/v1/deploy', { form: deployForm('shop') })).text());
    for (const route of ['/v1/deployment/list', '/v1/deployment/shop', '/v1/env/list?name=shop', '/openapi.json']) {
      told.push(await (await platform.call('GET', route)).text());
    }
    told.push(JSON.stringify(platform.logs.entries({ account: 'acc_alice', deployment: 'shop' })), lines.join('\n'));
    told.push(JSON.stringify(await platform.run.db.selectFrom('audit_log').selectAll().execute()));
    for (const file of ['berth.sqlite', 'berth.sqlite-wal']) {
      told.push(readFileSync(path.join(platform.folder, file), 'latin1'));
    }
    expect(told.every((text) => text.length > 0)).toBe(true);
    for (const text of told) expect(text.includes(canary)).toBe(false);
    expect(told.some((text) => text.includes('SECRET'))).toBe(true);
    expect(environmentOf(platform, 'shop')['SECRET']).toBe(canary);
    const token = await platform.run.db.selectFrom('cron_tokens').select('sealed_token').execute();
    expect(token).toEqual([]);
  });

  it('of old versions are forgotten when no revision needs them', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    await platform.deploy('shop');
    for (let value = 0; value < 10; value++) {
      platform.clock.advance(3_600_000);
      await set(platform, 'shop', { A: String(value) });
    }
    const count = async () =>
      (await platform.run.db.selectFrom('environment_variables').select('key').execute()).length;
    await waitUntil('the old ones are gone', async () => (await count()) <= 6);
    // All of its revisions share the one build.
    expect(platform.builder.built.size).toBe(1);
    await expectSound(platform);
  });
});
