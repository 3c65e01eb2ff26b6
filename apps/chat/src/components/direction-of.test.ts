import { expect, it } from 'vitest';
import { directionOf } from './direction-of.ts';

it.each([
  ['one و', 'ltr'],
  ['أولًا نفتح `report.csv`', 'rtl'],
  ['שלום world', 'rtl'],
  // Fails when code, an address, a formula or a check box decides for the text beside it.
  ['`report.csv` نفتح', 'rtl'],
  ['https://example.com هنا', 'rtl'],
  ['[](https://example.com/a) هنا', 'rtl'],
  ['$x$ متوسط', 'rtl'],
  ['[x] مهمة', 'rtl'],
  ['12 كيلو', 'rtl'],
  ['12, 3.5 %', undefined],
  ['', undefined],
])('finds the direction of %j: %s', (text, direction) => {
  expect(directionOf(text)).toBe(direction);
});
