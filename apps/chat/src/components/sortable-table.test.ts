import { expect, it } from 'vitest';
import { columnWidths } from './sortable-table.tsx';

it('gives each column room for its longest text, and the rest to the columns that wrap', () => {
  const rows = [
    ['a', 'a longer heading', 'x'],
    ['12', 'b', 'y'.repeat(900)],
    ['12345', 'b', 'y'],
  ];
  expect(columnWidths(rows)).toEqual([{ width: 11, least: 11 }, { width: 22, least: 22 }, { least: 30 }]);
  expect(columnWidths([['a', 'b']])).toEqual([
    { width: 9, least: 9 },
    { width: 9, least: 9 },
  ]);
});
