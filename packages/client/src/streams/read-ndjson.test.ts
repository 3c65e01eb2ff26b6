import { BerthError } from '@berth/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { collect } from '../testing/index.ts';
import { readNdjson } from './read-ndjson.ts';

async function* chunked(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  let start = 0;
  for (const place of [...places, bytes.length]) {
    yield bytes.subarray(start, place);
    start = place;
  }
}

async function read(text: string | Uint8Array, cuts: readonly number[] = []): Promise<unknown[]> {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  return collect(readNdjson(chunked(bytes, cuts)));
}

test('the same values come out wherever the chunks are cut', async () => {
  const values = fc.array(fc.record({ message: fc.string({ unit: 'grapheme' }), seq: fc.nat() }), { maxLength: 8 });
  const ends = fc.constantFrom('\n', '\r\n', '\n\n');
  await fc.assert(
    fc.asyncProperty(
      values,
      ends,
      fc.array(fc.nat(), { maxLength: 20 }),
      fc.boolean(),
      async (rows, end, cuts, isOpen) => {
        const text = rows.map((row) => JSON.stringify(row)).join(end) + (isOpen ? '' : end);
        expect(await read(text, cuts)).toEqual(rows);
      },
    ),
  );
});

test('half a line at the end is dropped, a whole one without its newline is not', async () => {
  expect(await read('{"a":1}\n{"b":')).toEqual([{ a: 1 }]);
  expect(await read('{"a":1}\n{"b":2}')).toEqual([{ a: 1 }, { b: 2 }]);
});

test('a line that is not JSON is an error that shows it', async () => {
  await expect(read('<html>\n')).rejects.toThrow(/<html>/);
  await expect(read('<html>\n')).rejects.toSatisfy((error) => BerthError.is(error, 'internal'));
});

test('a line without an end is refused before it fills the memory', async () => {
  async function* endless() {
    for (;;) yield new Uint8Array(1024 * 1024).fill(0x61);
  }
  await expect(collect(readNdjson(endless()))).rejects.toThrow(/too long/);
});
