import { describe, expect, test } from 'vitest';
import { formatMessage } from './messages.ts';

describe('formatMessage', () => {
  test('fills values in, and leaves what it has none for', () => {
    expect(formatMessage('{a} of {b}', 'en', { a: 'x' })).toBe('x of {b}');
    expect(formatMessage('{count} files', 'en', { count: 12_345 })).toBe('12,345 files');
  });

  test('values are text, whatever they hold', () => {
    expect(formatMessage('{a}{b}', 'en', { a: '{b}$&', b: '1' })).toBe('{b}$&1');
  });

  test.each([
    [0, 'zero'],
    [1, 'one'],
    [2, 'two'],
    [5, 'few'],
    [11, 'many'],
    [100, 'other'],
  ])('takes the plural form of Arabic for %i', (count, form) => {
    const message = { zero: 'zero', one: 'one', two: 'two', few: 'few', many: 'many', other: 'other' };
    expect(formatMessage(message, 'ar', { count })).toBe(form);
  });

  test('falls back to the form that every language has', () => {
    expect(formatMessage({ other: 'x' }, 'en', { count: 1 })).toBe('x');
  });
});
