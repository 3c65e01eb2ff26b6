import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Subscription } from '@berth/contract';
import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { createAccount } from '../harness/accounts.ts';
import { type Berth, startBerth } from '../harness/berth.ts';
import { deployed, postDeploy } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { greeter } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { waitFor } from '../harness/wait-for.ts';

async function subscription(berth: Berth, key = berth.key): Promise<Subscription> {
  const answer = await berth.api('/v1/user/subscription', { headers: { 'X-API-Key': key } });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Subscription;
}

describe('usage and plans', () => {
  it('are metered from real builds, starts and requests, and shown to nobody else', async () => {
    verifies('billing.subscription', 'billing.metered', 'billing.day-rows');
    await using berth = await startBerth();
    const other = await createAccount(berth, 'other');
    const name = uniqueName('metered');
    await deployed(berth, name, { files: greeter('hello there') });
    for (let i = 0; i < 5; i++) expect((await request(berth, name)).status).toBe(200);
    await waitFor('all of it is metered', async () => {
      const { requests, cpu_seconds } = (await subscription(berth)).usage;
      return requests === 5 && cpu_seconds > 0;
    });

    const { usage, ...rest } = await subscription(berth);
    expect(usage.egress_bytes).toBeGreaterThanOrEqual(5 * 'hello there'.length);
    expect(usage.build_seconds).toBeGreaterThan(0);
    // The start alone is a step of 100 ms.
    expect(usage.cpu_seconds).toBeGreaterThanOrEqual(0.1);
    expect(usage.memory_gib_seconds).toBeGreaterThanOrEqual(0.1);
    expect(usage.cost).toBeGreaterThan(0);
    expect(rest).toMatchObject({ plan: 'self-hosted', status: 'active', currency: 'USD', cancel_at_period_end: false });
    expect(Date.parse(rest.current_period_end)).toBeGreaterThan(Date.now());
    expect((await subscription(berth, other.key)).usage).toMatchObject({ requests: 0, build_seconds: 0, cost: 0 });

    const agreed = await berth.api('/v1/admin/reconcile');
    expect(agreed.status).toBe(200);
    expect(await agreed.json()).toMatchObject({ checked: 2, off: [] });
    expect((await berth.api('/v1/admin/reconcile', { headers: { 'X-API-Key': other.key } })).status).toBe(403);

    expect((await berth.post('/v1/deployment/delete', { name })).status).toBe(200);
    expect((await subscription(berth)).usage.requests).toBe(5);
  });

  it('hold accounts to the limits of the operator’s file, by name', async () => {
    verifies('billing.limits');
    const folder = await mkdtemp(path.join(tmpdir(), 'berth-plans-'));
    const file = path.join(folder, 'plans.json');
    await writeFile(file, '{"default":"free","plans":{"free":{"deployments":1,"memory":"256Mi"},"team":{}}}');
    await using berth = await startBerth({ env: { BERTH_PLANS: file } });
    const { key } = await createAccount(berth, 'acme');
    const fields = { memory: '256Mi' };
    const first = uniqueName('first');
    await deployed(berth, first, { files: greeter('1'), fields, key });

    const tooBig = await postDeploy(berth, first, { files: greeter('1'), fields: { memory: '1Gi' }, key });
    expect(tooBig.status).toBe(422);
    const second = uniqueName('second');
    const tooMany = await postDeploy(berth, second, { files: greeter('2'), fields, key });
    expect(tooMany.status).toBe(429);

    expect((await berth.post('/v1/admin/accounts/plan', { account: 'acme', plan: 'team' })).status).toBe(200);
    await deployed(berth, second, { files: greeter('2'), fields: { memory: '1Gi' }, key });
    await rm(folder, { recursive: true });
  });

  it('says what is wrong with a file of plans or prices, and does not start', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'berth-plans-'));
    const file = path.join(folder, 'prices.json');
    await writeFile(file, '{"currency":"EUR","prices":{"cpus":1}}');
    await expect(startBerth({ env: { BERTH_PRICE_BOOK: file } })).rejects.toThrow(/BERTH_PRICE_BOOK.*cpus/s);
    await rm(folder, { recursive: true });
  });
});
