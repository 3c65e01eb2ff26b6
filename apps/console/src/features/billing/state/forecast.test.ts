import { expect, test } from 'vitest';
import { forecast } from './forecast.ts';

const DAY = 86_400_000;
const period = { startMs: 0, endMs: 30 * DAY };

test('projects an amount linearly, except on the first day and after the end', () => {
  expect(forecast(10, period, 10 * DAY)).toBe(30);
  expect(forecast(0, period, 10 * DAY)).toBe(0);
  expect([forecast(10, period, DAY / 2), forecast(10, period, 30 * DAY)]).toEqual([undefined, undefined]);
});
