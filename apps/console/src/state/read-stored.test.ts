import { expect, test } from 'vitest';
import { readStored, readStoredList } from './read-stored.ts';

const storing = (text: string | null) => ({ getItem: (key: string) => (key === 'mine' ? text : 'null') });
const isNumber = (value: unknown): value is number => typeof value === 'number';

test.each<[string | null, unknown]>([
  ['{"a":1}', { a: 1 }],
  ['"text"', 'text'],
  ['0', 0],
  ['false', false],
  ['null', undefined],
  [null, undefined],
  ['', undefined],
  ['{"a":', undefined],
])('%j reads as %j', (text, value) => {
  expect(readStored(storing(text), 'mine')).toEqual(value);
});

// Fails when the items aren't filtered, or a value that is no list is returned.
test.each<[string | null, number[]]>([
  ['[1,2]', [1, 2]],
  ['[1,"two",null,{"n":3},4]', [1, 4]],
  ['{"0":1}', []],
  ['1', []],
  [null, []],
  ['[1', []],
])('the numbers of %j are %j', (text, numbers) => {
  expect(readStoredList(storing(text), 'mine', isNumber)).toEqual(numbers);
});
