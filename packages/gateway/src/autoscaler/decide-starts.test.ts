import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../port/gateway-policy.ts';
import { decideStarts, type StartObservation } from './decide-starts.ts';
import { wantedInstances } from './wanted-instances.ts';

const seen: StartObservation = {
  minInstances: 0,
  wanted: 0,
  serving: 0,
  existing: 0,
  ready: 0,
  starting: 0,
  suspended: 0,
  maxInstances: 0,
  failures: 0,
  nextStartAtMs: 0,
};

test('60 % of the slots is what an instance is meant to use', () => {
  const wanted = (load: number, concurrency: number) => wantedInstances(load, concurrency, DEFAULT_POLICY);
  expect(wanted(0, 80)).toBe(0);
  expect(wanted(1, 80)).toBe(1);
  expect(wanted(48, 80)).toBe(1);
  expect(wanted(49, 80)).toBe(2);
  expect(wanted(5, 1)).toBe(5);
});

test('starts what is missing', () => {
  expect(decideStarts({ ...seen, wanted: 3, serving: 1, existing: 1, ready: 1 }, 0)).toEqual({ resume: 0, start: 2 });
});

test('thaws before it starts', () => {
  expect(decideStarts({ ...seen, wanted: 3, suspended: 2, existing: 2 }, 0)).toEqual({ resume: 2, start: 1 });
});

test('counts an instance that still ends against the maximum', () => {
  expect(decideStarts({ ...seen, wanted: 1, existing: 1, maxInstances: 1 }, 0)).toEqual({ resume: 0, start: 0 });
});

test('waits for the backoff, then tries with one', () => {
  const failing = { ...seen, wanted: 5, failures: 3, nextStartAtMs: 100 };
  expect(decideStarts(failing, 99)).toEqual({ resume: 0, start: 0, retryAtMs: 100 });
  expect(decideStarts(failing, 100)).toEqual({ resume: 0, start: 1 });
  expect(decideStarts({ ...failing, starting: 1, serving: 1, existing: 1 }, 100)).toEqual({ resume: 0, start: 0 });
});

test('I2: what exists and what is started never passes the maximum', () => {
  fc.assert(
    fc.property(fc.nat(50), fc.nat(20), fc.nat(20), fc.integer({ min: 1, max: 20 }), (wanted, serving, ending, max) => {
      const existing = serving + ending;
      const { start } = decideStarts({ ...seen, wanted, serving, existing, ready: serving, maxInstances: max }, 0);
      expect(start).toBeGreaterThanOrEqual(0);
      expect(existing + start).toBeLessThanOrEqual(Math.max(existing, max));
    }),
  );
});
