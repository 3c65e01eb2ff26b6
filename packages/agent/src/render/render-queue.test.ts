import { createDeferred } from '@berth/kit';
import { expect, test } from 'vitest';
import { createRenderQueue } from './render-queue.ts';

test('runs so many at a time, the others in their order, and refuses more with a time to come again', async () => {
  const queue = createRenderQueue({ running: 2, waiting: 2, perOwner: 3 });
  const started: string[] = [];
  const ends = new Map<string, ReturnType<typeof createDeferred<void>>>();
  const run = (owner: string, name: string) => {
    const end = createDeferred<void>();
    ends.set(name, end);
    return queue.run(owner, async () => {
      started.push(name);
      await end.promise;
      return name;
    });
  };
  const [a, b, c] = [run('ann', 'a'), run('ann', 'b'), run('ann', 'c')];
  const busy = { code: 'unavailable', details: { retryAfterSeconds: expect.any(Number) } };
  await expect(run('ann', 'over')).rejects.toMatchObject(busy);
  const d = run('ben', 'd');
  await expect(run('cleo', 'over')).rejects.toMatchObject(busy);
  expect(started).toEqual(['a', 'b']);
  ends.get('b')!.reject(new Error('failed'));
  await expect(b).rejects.toThrow('failed');
  await Promise.resolve();
  expect(started).toEqual(['a', 'b', 'c']);
  for (const name of ['a', 'c', 'd']) ends.get(name)!.resolve();
  expect(await Promise.all([a, c, d])).toEqual(['a', 'c', 'd']);
  const again = run('ann', 'again');
  ends.get('again')!.resolve();
  expect(await again).toBe('again');
});
