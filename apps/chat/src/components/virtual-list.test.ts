import { expect, it } from 'vitest';
import { nextRow } from './virtual-list.tsx';

it.each([
  ['ArrowDown', 0, 1],
  ['ArrowDown', 24, 24],
  ['ArrowUp', 0, 0],
  ['PageDown', 20, 24],
  ['PageUp', 12, 2],
  ['Home', 12, 0],
  ['End', 3, 24],
  ['a', 3, undefined],
  ['constructor', 3, undefined],
])('%s leads from row %i to %j', (key, from, to) => {
  expect(nextRow(key, from, 25)).toBe(to);
});

it('leads nowhere where there is nothing', () => {
  expect(nextRow('End', 0, 0)).toBeUndefined();
});
