import { expect, it } from 'vitest';
import { columnWidths } from './sortable-table.tsx';

it('gives each column room for its heading and its first cell, within bounds', () => {
  expect(columnWidths(['a', 'a longer heading', 'x'], ['12', 'b', 'y'.repeat(900)])).toEqual([14, 22, 42]);
  expect(columnWidths(['a', 'b'], [])).toEqual([14, 14]);
});
