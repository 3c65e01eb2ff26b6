import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatCell, formatCsv } from './format-rows.ts';

/** Reads CSV as RFC 4180 says it, with line feeds. */
function parse(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of `${text}\n`.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

test('any values are read back as they were, whatever they hold', () => {
  const cell = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('a,b', '"', 'x\ny', '\r', '', ' ', '""', ','));
  const row = fc.record({ a: cell, 'b, "c"': cell });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (rows) => {
      // Fails when a sign isn't quoted: a message with a comma would move the columns behind it.
      expect(parse(formatCsv(rows))).toEqual([['a', 'b, "c"'], ...rows.map((one) => Object.values(one))]);
    }),
  );
});

test('NULL is nothing, what has parts is JSON, and columns are those of the first row', () => {
  expect([null, undefined, 0, false, '', [], { a: [1] }].map(formatCell)).toEqual([
    '',
    '',
    '0',
    'false',
    '',
    '[]',
    '{"a":[1]}',
  ]);
  expect(formatCsv([{ a: 1, b: null }, { b: 2 }])).toBe('a,b\n1,\n,2');
  expect(formatCsv([])).toBe('');
});
