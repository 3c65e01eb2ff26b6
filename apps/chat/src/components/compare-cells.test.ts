import { expect, test } from 'vitest';
import { compareCells, isNumeric, nextOrder } from './compare-cells.ts';

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

test.each([
  [['$ 41.20', '', '+55 %'], true],
  [['1,200', 'eu-north-1'], false],
  [['', ''], false],
])('tells whether the cells %j are numbers: %j', (cells, are) => {
  expect(isNumeric(cells)).toBe(are);
});

test('orders a column up, down, and not any more, and another anew', () => {
  expect(nextOrder(undefined, 1)).toEqual({ column: 1, isDown: false });
  expect(nextOrder({ column: 1, isDown: false }, 1)).toEqual({ column: 1, isDown: true });
  expect(nextOrder({ column: 1, isDown: true }, 1)).toBeUndefined();
  expect(nextOrder({ column: 1, isDown: true }, 2)).toEqual({ column: 2, isDown: false });
});
