import { expect, test } from 'vitest';
import { createPaced } from './paced.ts';

/** A schedule with a clock that the test controls. */
function createTime() {
  let nowMs = 0;
  let due: { readonly atMs: number; readonly work: () => void }[] = [];
  return {
    schedule(work: () => void, delayMs: number) {
      const entry = { atMs: nowMs + delayMs, work };
      due = [...due, entry];
      return () => {
        due = due.filter((one) => one !== entry);
      };
    },
    pass(ms: number) {
      nowMs += ms;
      for (const entry of due.filter(({ atMs }) => atMs <= nowMs)) {
        due = due.filter((one) => one !== entry);
        entry.work();
      }
    },
  };
}

test('runs at once, then 20 times a second at most, and once more for what came between', () => {
  const time = createTime();
  let runs = 0;
  const paced = createPaced(() => runs++, time.schedule);
  paced.mark();
  time.pass(0);
  expect(runs).toBe(1);
  for (let frame = 0; frame < 10; frame++) paced.mark();
  time.pass(49);
  expect(runs).toBe(1);
  time.pass(1);
  expect(runs).toBe(2);
  time.pass(1_000);
  expect(runs).toBe(2);
});

test('finishes with what is due, and never runs by itself afterwards', () => {
  const time = createTime();
  let runs = 0;
  const paced = createPaced(() => runs++, time.schedule);
  paced.mark();
  paced.finish();
  expect(runs).toBe(1);
  time.pass(1_000);
  expect(runs).toBe(1);
});
