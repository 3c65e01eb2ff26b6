import type { Builder, Needed } from '@berth/builder';
import { createSilentLogger } from '@berth/kit';
import { createFakeClock, waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { createPlatform } from '../deploys/testing/platform.ts';
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
