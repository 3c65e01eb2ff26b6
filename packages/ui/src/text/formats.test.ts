import { expect, test } from 'vitest';
import { createFormats } from './formats.ts';
import { chooseLanguage, directionOf } from './languages.ts';

test('bytes are in units of 1024', () => {
  const { bytes } = createFormats('en');
  expect([0, 1, 1023, 1024, 1536, 5 * 1024 ** 3].map(bytes)).toEqual([
    '0 B',
    '1 B',
    '1,023 B',
    '1 KiB',
    '1.5 KiB',
    '5 GiB',
  ]);
});

// Fails when a unit stands without a space, as the narrow units of `Intl` do, or seconds are "sec".
test('lengths of time have a space before their unit', () => {
  const { span } = createFormats('en');
  expect([span(18, 'ms'), span(0.25, 's', 1), span(600, 's'), span(3, 'min')]).toEqual([
    ...['18 ms', '0.3 s', '600 s', '3 min'],
  ]);
  expect(createFormats('ar').span(600, 's')).toBe('600 ث');
});

test('spans are in their largest whole unit', () => {
  const { ago } = createFormats('en');
  const nowMs = Date.parse('2026-01-10T00:00:00Z');
  expect(ago('2026-01-09T23:59:30Z', nowMs)).toBe('30 seconds ago');
  expect(ago('2026-01-09T22:00:00Z', nowMs)).toBe('2 hours ago');
  expect(ago('2026-01-12T00:00:00Z', nowMs)).toBe('in 2 days');
  // A key for 90 days, listed a moment after it was made.
  expect(ago(nowMs + 90 * 86_400_000 - 5_000, nowMs)).toBe('in 3 months');
  expect(ago(nowMs, nowMs)).toBe('now');
});

test('a choice wins over the browser, and English over what there is no text for', () => {
  const stored = (value: string | null) => ({ getItem: () => value });
  expect(chooseLanguage(stored('ar'), ['en'])).toBe('ar');
  expect(chooseLanguage(stored(null), ['fr-FR', 'ar-EG', 'en'])).toBe('ar');
  expect(chooseLanguage(stored('constructor'), ['fr'])).toBe('en');
  expect([directionOf('ar'), directionOf('en')]).toEqual(['rtl', 'ltr']);
});
