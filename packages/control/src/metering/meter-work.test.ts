import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import { meterWork } from './meter-work.ts';

test('tells of long work while it runs, and of all of it in the end', async () => {
  const clock = createFakeClock();
  const told: number[] = [];
  const work = meterWork(
    clock,
    (seconds) => told.push(seconds),
    () => clock.sleep(12_000).then(() => 'built'),
  );
  await clock.elapse(11_000);
  expect(told).toEqual([5, 5]);
  await clock.elapse(1_000);
  expect(await work).toBe('built');
  expect(told).toEqual([5, 5, 2]);
});

test('work that fails is metered too', async () => {
  const clock = createFakeClock();
  const told: number[] = [];
  const work = meterWork(
    clock,
    (seconds) => told.push(seconds),
    async () => {
      await clock.sleep(1_500);
      throw new Error('no compiler');
    },
  );
  const failed = expect(work).rejects.toThrow('no compiler');
  await clock.elapse(1_500);
  await failed;
  expect(told).toEqual([1.5]);
});
