import { createSystemClock } from '@berth/kit';
import { expect, test, vi } from 'vitest';
import { createRenderJobs } from './create-render-jobs.ts';

// Fails when an owner's running jobs don't count, or when the bound on all waiting jobs goes.
test('runs two jobs at a time in their order, and refuses more of one owner, and of all, with a time to retry', async () => {
  const jobs = createRenderJobs({ put: async () => {} }, createSystemClock());
  const started: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const run = (owner: string, key: string) => {
    const end = Promise.withResolvers<void>();
    ends.set(key, end);
    const make = async () => {
      started.push(key);
      await end.promise;
      throw new Error(`end of ${key}`);
    };
    return jobs.run({ key, owner, name: 'out.pdf', make }).catch((error: unknown) => error);
  };
  const busy = { code: 'unavailable', details: { retryAfterSeconds: expect.any(Number) } };
  const ann = ['a1', 'a2', 'a3', 'a4'].map((key) => run('ann', key));
  expect(await run('ann', 'over')).toMatchObject(busy);
  const others = ['b1', 'b2', 'b3', 'b4'].map((key) => run('ben', key));
  const last = [run('cleo', 'c1'), run('cleo', 'c2')];
  expect(await run('dora', 'over')).toMatchObject(busy);
  // The first two get their slots at once and make their folders side by side, so either may be ready first.
  await vi.waitFor(() => expect(started.toSorted()).toEqual(['a1', 'a2']));
  started.sort();
  ends.get('a2')!.resolve();
  expect(await ann[1]).toMatchObject({ message: 'end of a2' });
  await vi.waitFor(() => expect(started).toEqual(['a1', 'a2', 'a3']));
  // One after the other: jobs that get their slot at once make their folders side by side.
  const order = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'b4', 'c1', 'c2'];
  for (const [ended, key] of order.filter((one) => one !== 'a2').entries()) {
    await vi.waitFor(() => expect(started).toEqual(order.slice(0, 3 + ended)));
    ends.get(key)!.resolve();
  }
  await Promise.all([...ann, ...others, ...last]);
});
