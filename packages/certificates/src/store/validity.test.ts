import { expect, test } from 'vitest';
import { expiryWarning, renewAtMs } from './validity.ts';

const DAY_MS = 86_400_000;

test('a certificate is renewed with a third of its life left', () => {
  expect(renewAtMs({ notBeforeMs: 0, notAfterMs: 90 * DAY_MS })).toBe(60 * DAY_MS);
  expect(renewAtMs({ notBeforeMs: DAY_MS, notAfterMs: 7 * DAY_MS })).toBe(5 * DAY_MS);
});

test('expiry is reported two weeks before, or in the last fifth of a short lifetime', () => {
  const long = { notBeforeMs: 0, notAfterMs: 90 * DAY_MS };
  expect(expiryWarning(long, 75 * DAY_MS)).toBeUndefined();
  expect(expiryWarning(long, 77 * DAY_MS)).toBe('expires on 1970-04-01T00:00:00.000Z, in 312 hours');
  expect(expiryWarning(long, 90 * DAY_MS)).toBe('expired on 1970-04-01T00:00:00.000Z');
  expect(expiryWarning({ notBeforeMs: 5, notAfterMs: 10 }, 0)).toContain('is not valid before');
  const short = { notBeforeMs: 0, notAfterMs: 6 * DAY_MS };
  expect(expiryWarning(short, 4 * DAY_MS)).toBeUndefined();
  expect(expiryWarning(short, 5 * DAY_MS)).toContain('in 24 hours');
});
