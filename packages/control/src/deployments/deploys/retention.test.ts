import { createError } from '@berth/contract';
import { waitUntil } from '@berth/testkit';
import { describe, expect, it } from 'vitest';
import { expectSound } from './testing/invariants.ts';
import { createPlatform, readEvents } from './testing/platform.ts';

describe('retention', () => {
  // Fails when `retireRevisions` leaves out the targets of rollbacks: the deploy before it in the queue removes what it goes to.
  it('keeps what a rollback in the queue goes to', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    for (let count = 0; count < 5; count++) await platform.deploy('shop');
    platform.clock.advance(3_600_000);
    const { revisions } = (await (await platform.call('GET', '/v1/deployment/shop')).json()) as {
      revisions: { revision: string }[];
    };
    const building = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    platform.builder.whenBuilding(() => {
      building.resolve();
      return release.promise;
    });
    const deploy = platform.deploy('shop');
    await building.promise;
    const json = { name: 'shop', revision: revisions.at(-1)?.revision };
    const rollback = await platform.call('POST', '/v1/deployment/rollback', { json });
    release.resolve();
    expect((await deploy).at(-1)).toMatchObject({ status: 'DONE' });
    expect((await readEvents(rollback)).at(-1)).toMatchObject({ status: 'DONE' });
    await expectSound(platform);
  });

  // Fails when a prune retires revisions, or sweeps artifacts, of deployments with a deploy under way.
  it('is enforced by a prune, but not on a deployment with a deploy under way', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    for (let count = 0; count < 7; count++) await platform.deploy('shop');
    // What the last deploy cleans up is settled; an hour later it would be more.
    await platform.run.deployments.close(60_000);
    await platform.kill();
    await platform.boot();
    platform.clock.advance(3_600_000);
    const prune = async (isDryRun: boolean) => (await platform.run.deployments.prune({ isDryRun }))[0]?.count;
    expect([await prune(true), platform.builder.built.size]).toEqual([2, 7]);

    const activating = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    platform.run.gateway.whenActivating(() => {
      activating.resolve();
      return release.promise;
    });
    const deploy = platform.deploy('shop');
    await activating.promise;
    await prune(false);
    expect(platform.builder.built.size).toBe(8);
    release.resolve();
    expect((await deploy).at(-1)).toMatchObject({ status: 'DONE' });
    // Of 8, the newest five; the seventh is one of them.
    await waitUntil('the oldest are gone', () => platform.builder.built.size === 5);
    expect(await prune(false)).toBe(0);
    await expectSound(platform);
  });

  it('keeps the five newest artifacts and the serving one, and what still drains', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    for (let count = 0; count < 4; count++) await platform.deploy('shop');
    await readEvents(await platform.call('POST', '/v1/deployment/rollback', { json: { name: 'shop' } }));
    platform.clock.advance(3_600_000);
    for (let count = 0; count < 4; count++) {
      platform.builder.whenBuilding(({ onLine }) => onLine('x', true));
      platform.run.gateway.whenActivating(() => {
        throw createError('start_failed', 'no');
      });
      await platform.deploy('shop');
    }
    await expectSound(platform);
    const numbers = () =>
      [...platform.builder.built].map((revision) => Number(revision.slice(5, 10))).sort((a, b) => a - b);
    expect(numbers()).toEqual([1, 2, 3, 4]);
    platform.run.gateway.whenActivating(() => {});
    for (let count = 0; count < 3; count++) await platform.deploy('shop');
    // The newest five of those that were good are 4, 9, 10, 11 and 3, which served until a moment ago.
    await waitUntil('the oldest are gone', () => numbers()[0] === 3);
    expect(numbers()).toEqual([3, 4, 9, 10, 11]);
    const { revisions } = (await (await platform.call('GET', '/v1/deployment/shop')).json()) as {
      revisions: { revision: string; status: string }[];
    };
    expect(revisions.map((one) => one.status)).toEqual([
      ...['ready', 'ready', 'ready'],
      ...['failed', 'failed', 'failed', 'failed'],
      ...['ready', 'ready', 'retired', 'retired'],
    ]);
    const retired = await platform.call('POST', '/v1/deployment/rollback', {
      json: { name: 'shop', revision: revisions.at(-1)?.revision },
    });
    expect(retired.status).toBe(409);
  });
});
