import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseCsv } from './parse-csv.ts';

it.each([
  ['a,b\n1,2\n', ['a', 'b'], [['1', '2']]],
  ['\uFEFFa;b\r\n"1;1";2', ['a', 'b'], [['1;1', '2']]],
  ['a\tb\n\t2', ['a', 'b'], [['', '2']]],
  ['a,b\n"says ""hi""\nthere",\n', ['a', 'b'], [['says "hi"\nthere', '']]],
  ['a,b\n"open, to the end', ['a', 'b'], [['open, to the end']]],
  ['', [], []],
])('reads %j', (text, headers, rows) => {
  expect(parseCsv(text, 10)).toEqual({ headers, rows, isCut: false });
});

it('reads no more rows than are shown, and says so', () => {
  const { rows, isCut } = parseCsv(`n\n${'1\n'.repeat(50)}`, 20);
  expect(rows).toHaveLength(20);
  expect(isCut).toBe(true);
});

it('reads what was written', () => {
  const cell = fc.string().map((text) => text.replaceAll('\uFEFF', ''));
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 });
  const write = (rows: readonly (readonly string[])[]) =>
    rows.map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`).join(',')).join('\n');
  fc.assert(
    fc.property(table, (rows) => {
      // The first line decides the separator.
      const all = [['a', 'b', 'c'], ...rows];
      const { headers, rows: read } = parseCsv(write(all), 10);
      expect([headers, ...read]).toEqual(all);
    }),
    { numRuns: 200 },
  );
});

it('comes to an end whatever it is given', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', 'a', ';') }), (text) => {
      parseCsv(text, 10);
    }),
    { numRuns: 300 },
  );
});
