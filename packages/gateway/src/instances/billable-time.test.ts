import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BillableTime } from './billable-time.ts';

test('rounds a span up to 100 ms', () => {
  const time = new BillableTime();
  time.start(0);
  time.stop(101);
  expect(time.totalMs).toBe(200);
});

test('short spans that share a step are billed once', () => {
  const time = new BillableTime();
  for (const startMs of [0, 20, 40, 60]) {
    time.start(startMs);
    time.stop(startMs + 10);
  }
  expect(time.totalMs).toBe(100);
});

test('covers all busy time, in whole steps, and no more than a step beyond it each time it was idle', () => {
  const span = fc.record({ idleMs: fc.nat({ max: 500 }), busyMs: fc.nat({ max: 500 }) });
  fc.assert(
    fc.property(fc.array(span, { maxLength: 40 }), (spans) => {
      const time = new BillableTime();
      let nowMs = 0;
      let busyMs = 0;
      for (const each of spans) {
        nowMs += each.idleMs;
        time.start(nowMs);
        nowMs += each.busyMs;
        time.stop(nowMs);
        busyMs += each.busyMs;
      }
      expect(time.totalMs % 100).toBe(0);
      expect(time.totalMs).toBeGreaterThanOrEqual(busyMs);
      expect(time.totalMs).toBeLessThanOrEqual(nowMs + 100);
    }),
  );
});

test('what is taken while it runs is what it would have been billed at the end, but for a step at each stop', () => {
  const time = new BillableTime();
  time.start(0);
  expect(time.take(250)).toBe(200);
  expect(time.take(260)).toBe(0);
  time.stop(330);
  expect(time.take(1_000)).toBe(200);
  expect(time.totalMs).toBe(400);
  expect(time.take(2_000)).toBe(0);
});
