import { expect, it } from 'vitest';
import { backoffMs } from './backoff.ts';

it('doubles up to its ceiling, however many failures there were', () => {
  const options = { baseMs: 250, maxMs: 60_000 };
  expect([0, 1, 2, 7, 8, 5000].map((attempt) => backoffMs(attempt, options))).toEqual([
    250, 500, 1000, 32_000, 60_000, 60_000,
  ]);
});
