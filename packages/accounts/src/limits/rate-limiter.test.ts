import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import { createRateLimiter } from './rate-limiter.ts';

const LIMIT = { windowSeconds: 60, max: 2 };

test('allows so many calls in a window, says how long to wait, and starts again after it', () => {
  const clock = createFakeClock();
  const { consume, take } = createRateLimiter(clock);
  expect(consume('a', LIMIT)).toBeUndefined();
  clock.advance(20_000);
  expect(consume('a', LIMIT)).toBeUndefined();
  expect(consume('a', LIMIT)).toBe(40);
  expect(() => take('a', LIMIT)).toThrow(
    expect.objectContaining({ code: 'too_many_requests', details: { retryAfterSeconds: 40 } }),
  );
  expect(consume('b', LIMIT)).toBeUndefined();
  clock.advance(39_001);
  expect(consume('a', LIMIT)).toBe(1);
  clock.advance(999);
  expect(consume('a', LIMIT)).toBeUndefined();
});

test('restores calls, and with the last one the window', () => {
  const clock = createFakeClock();
  const { consume, restore } = createRateLimiter(clock);
  for (let i = 0; i < 2; i++) consume('a', LIMIT);
  restore('a');
  clock.advance(30_000);
  expect(consume('a', LIMIT)).toBeUndefined();
  expect(consume('a', LIMIT)).toBe(30);
  for (let i = 0; i < 3; i++) restore('a');
  for (let i = 0; i < 2; i++) consume('a', LIMIT);
  expect(consume('a', LIMIT)).toBe(60);
});

test('a jump of the wall clock opens nothing', () => {
  const clock = createFakeClock();
  const { consume } = createRateLimiter(clock);
  for (let i = 0; i < 2; i++) consume('a', LIMIT);
  clock.jump(3_600_000);
  expect(consume('a', LIMIT)).toBe(60);
});

test('does not grow without end', () => {
  const { consume } = createRateLimiter(createFakeClock());
  for (let i = 0; i < 2; i++) consume('first', LIMIT);
  for (let i = 0; i < 49_999; i++) consume(`k${i}`, LIMIT);
  expect(consume('first', LIMIT)).toBe(60);
  consume('one more', LIMIT);
  expect(consume('first', LIMIT)).toBeUndefined();
});
