import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConcurrencyWindow } from './concurrency-window.ts';

test('weighs by time', () => {
  const window = new ConcurrencyWindow(60_000, 0);
  window.set(10, 0);
  window.set(0, 3_000);
  expect(window.mean(60_000, 6_000)).toBeCloseTo(5);
});

test('a young window is not diluted by the time before it', () => {
  const window = new ConcurrencyWindow(60_000, 0);
  window.set(8, 0);
  expect(window.mean(60_000, 500)).toBeCloseTo(8);
});

test('forgets what is older than the window, also after a long silence', () => {
  const window = new ConcurrencyWindow(60_000, 0);
  window.set(100, 0);
  window.set(0, 30_000);
  expect(window.mean(60_000, 95_000)).toBe(0);
  window.set(4, 10_000_000);
  expect(window.mean(6_000, 10_006_000)).toBeCloseTo(4);
});

test('agrees with a sum over every millisecond', () => {
  const change = fc.record({ afterMs: fc.nat({ max: 2_500 }), value: fc.nat({ max: 50 }) });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 25 }), (changes) => {
      const window = new ConcurrencyWindow(10_000, 0);
      const perMs: number[] = [];
      let value = 0;
      for (const next of changes) {
        for (let i = 0; i < next.afterMs; i++) perMs.push(value);
        value = next.value;
        window.set(value, perMs.length);
      }
      const nowMs = perMs.length;
      // The window covers whole seconds: nine full ones and the running one.
      const fromMs = Math.max(0, Math.floor(nowMs / 1_000) * 1_000 - 9_000);
      const covered = perMs.slice(fromMs);
      const expected = covered.length === 0 ? value : covered.reduce((sum, each) => sum + each, 0) / covered.length;
      expect(window.mean(10_000, nowMs)).toBeCloseTo(expected, 6);
    }),
  );
});
