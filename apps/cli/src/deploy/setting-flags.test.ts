import { SETTING_FIELDS } from '@berth/contract';
import { expect, test } from 'vitest';
import { SETTING_FLAGS, VALUE_FLAGS } from './setting-flags.ts';

// Fails when a row of the table of flags is missing.
test('every setting has a flag', () => {
  const names = SETTING_FLAGS.map(({ flags }) => flags);
  const composed = (['volumes', 'schedule'] as const).filter((field) => names.some((flags) => flags.includes(field)));
  expect(new Set([...VALUE_FLAGS.map(({ field }) => field), ...composed])).toEqual(new Set(SETTING_FIELDS));
});
