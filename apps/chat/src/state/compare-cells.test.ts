import { expect, test } from 'vitest';
import { compareCells } from './compare-cells.ts';

test.each([
  [
    ['10', '9', '-3'],
    ['-3', '9', '10'],
  ],
  [
    ['1,200.5', '$3', '20 %'],
    ['$3', '20 %', '1,200.5'],
  ],
  [
    ['file10', 'File9', 'file1'],
    ['file1', 'File9', 'file10'],
  ],
  [
    ['b', 'a', ''],
    ['', 'a', 'b'],
  ],
])('orders %j as a person would', (cells, ordered) => {
  expect(cells.toSorted((a, b) => compareCells(a, b, 'en'))).toEqual(ordered);
});
