import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseIdRange, parseIdMap, parseSubordinateIds } from './id-range.ts';

const EVERY_ID = { first: 0, count: 4_294_967_295 };

describe('chooseIdRange', () => {
  test('stays inside what exists and away from what is taken', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.array(fc.record({ first: fc.nat(300_000_000), count: fc.integer({ min: 1, max: 1_000_000 }) })),
        (seed, taken) => {
          const range = chooseIdRange([EVERY_ID], taken, seed);
          if (!range) throw new Error('nothing chosen');
          expect(range.first).toBeGreaterThanOrEqual(20_000);
          for (const other of taken) {
            const isApart = other.first + other.count <= range.first || range.first + range.count <= other.first;
            expect(isApart).toBe(true);
          }
        },
      ),
    );
  });

  test('a container with 65,536 ids gets the small range', () => {
    expect(chooseIdRange([{ first: 0, count: 65_536 }], [], 77)).toEqual({ first: 20_000, count: 40_000 });
  });

  test('a namespace with one id has no room', () => {
    expect(chooseIdRange([{ first: 0, count: 1 }], [], 77)).toBeUndefined();
  });

  test('two seeds give two blocks', () => {
    expect(chooseIdRange([EVERY_ID], [], 1)).not.toEqual(chooseIdRange([EVERY_ID], [], 2));
  });
});

describe('the files of the system', () => {
  test('uid_map', () => {
    expect(parseIdMap('         0          0 4294967295\n')).toEqual([{ first: 0, count: 4_294_967_295 }]);
    expect(parseIdMap('         0       1000          1\n         1     100000      65536\n')).toEqual([
      { first: 0, count: 1 },
      { first: 1, count: 65_536 },
    ]);
    expect(parseIdMap('')).toEqual([]);
  });

  test('subuid, comments and blank lines left out', () => {
    expect(parseSubordinateIds('# people\nann:100000:65536\n\nbad\n')).toEqual([{ first: 100_000, count: 65_536 }]);
  });
});
