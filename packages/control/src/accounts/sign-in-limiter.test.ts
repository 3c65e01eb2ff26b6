import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import { createSignInLimiter } from './sign-in-limiter.ts';

const RULE = { window: 60, max: 2 };

test('allows so many in a window, says how long to wait, and starts again after it', async () => {
  const clock = createFakeClock();
  const { consume } = createSignInLimiter(clock);
  expect(await consume('a', RULE)).toEqual({ allowed: true, retryAfter: null });
  clock.advance(20_000);
  expect((await consume('a', RULE)).allowed).toBe(true);
  expect(await consume('a', RULE)).toEqual({ allowed: false, retryAfter: 40 });
  expect((await consume('b', RULE)).allowed).toBe(true);
  clock.advance(39_001);
  expect(await consume('a', RULE)).toEqual({ allowed: false, retryAfter: 1 });
  clock.advance(999);
  expect((await consume('a', RULE)).allowed).toBe(true);
});

test('takes calls back, and with the last one the window', async () => {
  const clock = createFakeClock();
  const { consume, restore } = createSignInLimiter(clock);
  for (let i = 0; i < 2; i++) await consume('a', RULE);
  restore('a');
  clock.advance(30_000);
  expect((await consume('a', RULE)).allowed).toBe(true);
  expect((await consume('a', RULE)).retryAfter).toBe(30);
  for (let i = 0; i < 3; i++) restore('a');
  for (let i = 0; i < 2; i++) await consume('a', RULE);
  expect((await consume('a', RULE)).retryAfter).toBe(60);
});

test('a jump of the wall clock opens nothing', async () => {
  const clock = createFakeClock();
  const { consume } = createSignInLimiter(clock);
  for (let i = 0; i < 2; i++) await consume('a', RULE);
  clock.jump(3_600_000);
  expect((await consume('a', RULE)).allowed).toBe(false);
});

test('does not grow without end', async () => {
  const { consume } = createSignInLimiter(createFakeClock());
  for (let i = 0; i < 2; i++) await consume('first', RULE);
  for (let i = 0; i < 49_999; i++) await consume(`k${i}`, RULE);
  expect((await consume('first', RULE)).allowed).toBe(false);
  await consume('one more', RULE);
  expect((await consume('first', RULE)).allowed).toBe(true);
});
