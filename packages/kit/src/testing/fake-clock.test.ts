import { expect, test } from 'vitest';
import { createFakeClock } from './fake-clock.ts';

test('timers fire in order, each at its own time', () => {
  const clock = createFakeClock(0);
  const fired: string[] = [];
  const note = (name: string) => () => fired.push(`${name}@${clock.nowMs()}`);
  clock.setTimer(20, note('b'));
  clock.setTimer(10, note('a'));
  clock.setTimer(20, note('c'));
  clock.setTimer(30, note('late'));
  clock.advance(25);
  expect(fired).toEqual(['a@10', 'b@20', 'c@20']);
  expect(clock.nowMs()).toBe(25);
  expect(clock.pending).toBe(1);
});

test('a chain of sleeps runs within one elapse', async () => {
  const clock = createFakeClock(0);
  const seen: number[] = [];
  const loop = (async () => {
    for (let i = 0; i < 3; i++) {
      await clock.sleep(10);
      seen.push(clock.nowMs());
    }
  })();
  await clock.elapse(30);
  await loop;
  expect(seen).toEqual([10, 20, 30]);
});

test('a canceled timer and an aborted sleep never fire', async () => {
  const clock = createFakeClock(0);
  const abort = new AbortController();
  let isFired = false;
  clock
    .setTimer(5, () => {
      isFired = true;
    })
    .cancel();
  const slept = clock.sleep(5, abort.signal);
  abort.abort(new Error('enough'));
  await expect(slept).rejects.toThrow('enough');
  clock.advance(10);
  expect(isFired).toBe(false);
  expect(clock.pending).toBe(0);
});

test('a jump moves wall time only', () => {
  const clock = createFakeClock(0);
  const before = clock.monotonicMs();
  clock.jump(-5_000);
  expect(clock.nowMs()).toBe(-5_000);
  expect(clock.monotonicMs()).toBe(before);
});
