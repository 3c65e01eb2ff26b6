import { expect, it } from 'vitest';
import { createIdSource } from './id.ts';

it('makes ids that sort by time and do not repeat', () => {
  let nowMs = 1_700_000_000_000;
  const ids = createIdSource(() => nowMs);
  const first = ids.next('deploy');
  nowMs += 1;
  const second = ids.next('deploy');
  expect(first).toMatch(/^deploy_[0-9a-hjkmnp-tv-z]{26}$/);
  expect(first < second).toBe(true);
  expect(new Set(Array.from({ length: 1000 }, () => ids.next('x'))).size).toBe(1000);
});

it('keeps their order within a millisecond and when the clock goes back', () => {
  const times = [5, 5, 5, 4, 0, 5, 6, 6];
  const ids = createIdSource(() => times.shift() ?? 7);
  const made = Array.from({ length: 2_000 }, () => ids.next('x'));
  expect(made.toSorted()).toEqual(made);
  expect(new Set(made).size).toBe(2_000);
});

it('carries from digit to digit, and into the next millisecond at the end', () => {
  const ids = createIdSource(
    () => 31,
    (size) => new Uint8Array(size).fill(31).with(0, 30),
  );
  expect([ids.next('x'), ids.next('x')]).toEqual(['x_000000000zyzzzzzzzzzzzzzzz', 'x_000000000zz000000000000000']);
  const full = createIdSource(
    () => 31,
    (size) => new Uint8Array(size).fill(31),
  );
  expect([full.next('x'), full.next('x')]).toEqual(['x_000000000zzzzzzzzzzzzzzzzz', 'x_00000000100000000000000000']);
});
