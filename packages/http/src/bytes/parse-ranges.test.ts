import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRanges } from './parse-ranges.ts';

test.each([
  ['bytes=0-0', [[0, 0]]],
  ['bytes=2-', [[2, 9]]],
  ['bytes=2-100', [[2, 9]]],
  ['bytes=-3', [[7, 9]]],
  ['bytes=-100', [[0, 9]]],
  [
    'BYTES = 1-2 , 4-5',
    [
      [1, 2],
      [4, 5],
    ],
  ],
  [
    'bytes=8-9,,0-1,',
    [
      [8, 9],
      [0, 1],
    ],
  ],
  ['bytes=5-6,20-30', [[5, 6]]],
  ['bytes=10-', []],
  ['bytes=20-30', []],
  ['bytes=-0', []],
])('%s of ten bytes', (header, expected) => {
  expect(parseRanges(header, 10)?.map(({ first, last }) => [first, last])).toEqual(expected);
});

test.each([
  '',
  'bytes',
  'bytes=',
  'bytes=,',
  'bytes=-',
  'bytes=a-b',
  'bytes=3-2',
  'bytes=1-2-3',
  'bytes=+1-2',
  'items=0-1',
  'bytes=0-9,0-9',
])('"%s" means the whole', (header) => {
  expect(parseRanges(header, 10)).toBeUndefined();
});

test('of an empty object there is no range', () => {
  expect(parseRanges('bytes=0-', 0)).toEqual([]);
  expect(parseRanges('bytes=-1', 0)).toEqual([]);
});

test('ranges lie inside and never come to more than the object', () => {
  const spec = fc.oneof(
    fc.tuple(fc.nat(30), fc.nat(30)).map(([first, last]) => `${first}-${last}`),
    fc.nat(30).map((last) => `-${last}`),
    fc.nat(30).map((first) => `${first}-`),
  );
  fc.assert(
    fc.property(fc.array(spec, { minLength: 1 }), fc.nat(20), (specs, sizeBytes) => {
      const ranges = parseRanges(`bytes=${specs.join(',')}`, sizeBytes) ?? [];
      for (const { first, last } of ranges) {
        expect(first).toBeGreaterThanOrEqual(0);
        expect(last).toBeGreaterThanOrEqual(first);
        expect(last).toBeLessThan(sizeBytes);
      }
      expect(ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0)).toBeLessThanOrEqual(sizeBytes);
    }),
  );
});
