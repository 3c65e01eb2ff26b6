import type { Builder, Needed } from '@berth/builder';
import { createSilentLogger } from '@berth/kit';
import { createFakeClock, waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { createPlatform, readEvents } from '../deploys/testing/platform.ts';
import { shareArtifacts } from './share-artifacts.ts';
import { sweepSharedBuilds } from './sweep-shared-builds.ts';

const SWEEP_MS = 600_000;

// Fails when one failure ends the rounds: copies and objects would stay for good.
test('build results are swept regularly, also after a failure, until the end', async () => {
  await using platform = await createPlatform();
  const { db } = await platform.boot();
  const clock = createFakeClock();
  let sweeps = 0;
  const needed: Needed[] = [];
  const shared: Builder['shared'] = {
    ensure: async () => {},
    share: async () => undefined,
    async sweep(readNeeded) {
      needed.push(await readNeeded());
      if (++sweeps === 1) throw new Error('the store is down');
    },
  };
  const options = { db, clock, logger: createSilentLogger() };
  const end = sweepSharedBuilds({ ...options, builder: { ...platform.builder, shared } });
  for (const count of [1, 2, 3]) {
    await waitUntil('a round is planned', () => clock.pending === 1);
    await clock.elapse(SWEEP_MS);
    await waitUntil('the round is over', () => sweeps === count);
  }
  expect(needed.at(-1)).toEqual({ artifacts: [], archives: [], deploying: [] });
  await waitUntil('a round is planned', () => clock.pending === 1);
  end();
  expect(clock.pending).toBe(0);
  sweepSharedBuilds({ ...options, builder: platform.builder })();
  expect(clock.pending).toBe(0);
});

// Fails when a revision that shares its artifact with another keeps the old text: the first to be removed would take both.
test('build results from before servers shared them are stored and recorded', async () => {
  await using platform = await createPlatform();
  const { db } = await platform.boot();
  await platform.deploy('shop');
  await readEvents(await platform.call('POST', '/v1/deployment/redeploy', { json: { name: 'shop', memory: '1Gi' } }));
  const artifacts = async () =>
    (await db.selectFrom('revisions').select('artifact').execute()).map(({ artifact }) => JSON.parse(artifact ?? ''));
  const [before] = await artifacts();
  const stored = { object: 'a', sizeBytes: 1, sha256: 'b' };
  const shared: Builder['shared'] = {
    ensure: async () => {},
    sweep: async () => {},
    share: async (artifact) => (artifact.stored ? undefined : { ...artifact, stored }),
  };
  await shareArtifacts(db, shared, createSilentLogger());
  const after = await artifacts();
  expect(after.length).toBeGreaterThan(1);
  expect(after.every((artifact) => JSON.stringify(artifact) === JSON.stringify({ ...before, stored }))).toBe(true);
});
