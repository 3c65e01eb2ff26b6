import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../port/gateway-policy.ts';
import { chooseInstance } from './choose-instance.ts';

const choose = (loads: number[], concurrency: number) => {
  const instances = loads.map((inFlight, index) => ({ inFlight, index }));
  return chooseInstance(instances, concurrency, DEFAULT_POLICY)?.index;
};

test('packs the most loaded instance below 60 %', () => {
  expect(choose([1, 5, 3], 10)).toBe(1);
  expect(choose([0, 0], 10)).toBe(0);
  expect(choose([6, 2], 10)).toBe(1);
});

test('evens out when all are above 60 %', () => {
  expect(choose([9, 7, 8], 10)).toBe(1);
  expect(choose([6, 10], 10)).toBe(0);
  expect(choose([8, 7, 7], 10)).toBe(1);
});

test('with up to three slots the oldest one with a slot takes it', () => {
  expect(choose([1, 0], 2)).toBe(0);
  expect(choose([3, 2, 0], 3)).toBe(1);
  expect(choose([1, 0], 1)).toBe(1);
});

test('nothing is chosen when all are full', () => {
  expect(choose([10, 10], 10)).toBeUndefined();
  expect(choose([1], 1)).toBeUndefined();
  expect(choose([], 10)).toBeUndefined();
});

test('I1, I8: a choice has a slot, and a free slot is always found', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.nat({ max: 50 }), { maxLength: 12 }),
      (concurrency, loads) => {
        const bounded = loads.map((load) => Math.min(load, concurrency));
        const chosen = choose(bounded, concurrency);
        expect(chosen !== undefined).toBe(bounded.some((load) => load < concurrency));
        if (chosen !== undefined) expect(bounded[chosen]).toBeLessThan(concurrency);
      },
    ),
  );
});
