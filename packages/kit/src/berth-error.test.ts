import { expect, it } from 'vitest';
import { BerthError } from './berth-error.ts';
import { describeError } from './run-in-background.ts';

it('is recognized by brand and code, and keeps its cause', () => {
  const error = new BerthError({ code: 'conflict', message: 'busy', status: 409, cause: new Error('why') });
  expect(BerthError.is(error)).toBe(true);
  expect(BerthError.is(error, 'conflict')).toBe(true);
  expect(BerthError.is(error, 'other')).toBe(false);
  expect([null, 'x', new Error('x'), {}].some((value) => BerthError.is(value))).toBe(false);
  expect(describeError(error)).toMatch(/busy[\s\S]*caused by: Error: why/);
});
