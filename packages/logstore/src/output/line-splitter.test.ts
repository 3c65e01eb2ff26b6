import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLineSplitter } from './line-splitter.ts';

/** The lines of `input`, handed in in chunks that end at `cuts`. */
function split(input: Buffer, cuts: readonly number[] = [], maxBytes = 1000) {
  const splitter = createLineSplitter(maxBytes);
  const lines = [];
  let start = 0;
  for (const end of [...cuts.toSorted((a, b) => a - b), input.length]) {
    lines.push(...splitter.push(input.subarray(start, end)));
    start = Math.max(start, end);
  }
  return [...lines, ...splitter.flush()];
}

const textOf = (input: string, cuts?: readonly number[]) => split(Buffer.from(input), cuts).map((line) => line.text);

describe('createLineSplitter', () => {
  test.each([
    ['a\nb\n', ['a', 'b']],
    ['a\r\nb', ['a', 'b']],
    ['a\rb\rc\n', ['a', 'b', 'c']],
    ['\n\na\n', ['', '', 'a']],
    ['\r\n\r\na', ['', '', 'a']],
    ['\r10%\r20%\r\ndone\n', ['10%', '20%', 'done']],
    ['a\r\r\nb\n', ['a', '', 'b']],
    ['', []],
    ['\u0000\u2028é\n', ['\u0000\u2028é']],
  ])('%j', (input, expected) => {
    expect(textOf(input)).toEqual(expected);
  });

  test('where the chunks are cut makes no difference', () => {
    const piece = fc.constantFrom('a', 'é', '💡', '\n', '\r', '\r\n', '', 'long '.repeat(30), '\xff');
    const input = fc.array(piece, { maxLength: 30 }).map((pieces) => Buffer.from(pieces.join('')));
    fc.assert(
      fc.property(
        input,
        fc.array(fc.nat(300), { maxLength: 12 }),
        fc.integer({ min: 4, max: 60 }),
        (bytes, at, max) => {
          const cuts = at.map((cut) => Math.min(cut, bytes.length));
          expect(split(bytes, cuts, max)).toEqual(split(bytes, [], max));
        },
      ),
    );
  });

  test('any bytes are taken, and what is no UTF-8 is replaced', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        for (const { text } of split(Buffer.from(bytes), [], 16)) expect(text.isWellFormed()).toBe(true);
      }),
    );
    expect(split(Buffer.from([0x61, 0xff, 0xc3, 0x28, 0x0a]))).toEqual([{ text: 'a\ufffd\ufffd(' }]);
  });

  test('a line of the greatest length is whole, a longer one comes in numbered parts without a broken character', () => {
    expect(split(Buffer.from(`${'x'.repeat(10)}\n`), [], 10)).toEqual([{ text: 'x'.repeat(10) }]);
    expect(split(Buffer.from(`${'é'.repeat(8)}x\nnext\n`), [], 5)).toEqual([
      { text: 'éé', part: 1 },
      { text: 'éé', part: 2 },
      { text: 'éé', part: 3 },
      { text: 'ééx', part: 4 },
      { text: 'next' },
    ]);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.integer({ min: 4, max: 50 }), (text, max) => {
        const line = text.replaceAll(/[\r\n]/g, '').toWellFormed();
        const parts = split(Buffer.from(`${line}\n`), [], max);
        expect(parts.map((part) => part.text).join('')).toBe(line);
        for (const part of parts) expect(Buffer.byteLength(part.text)).toBeLessThanOrEqual(max);
      }),
    );
  });

  test('the rest of a flushed line is a line, unless it is empty', () => {
    const splitter = createLineSplitter(100);
    expect(splitter.push(Buffer.from('Name: '))).toEqual([]);
    expect(splitter.hasPartial).toBe(true);
    expect(splitter.flush()).toEqual([{ text: 'Name: ' }]);
    expect(splitter.hasPartial).toBe(false);
    expect(splitter.push(Buffer.from('\n\nx'))).toEqual([{ text: '' }]);
    expect(splitter.flush()).toEqual([{ text: 'x' }]);
    expect(splitter.push(Buffer.from('y\n'))).toEqual([{ text: 'y' }]);
    expect(splitter.flush()).toEqual([]);
  });

  test('a program that prints a byte at a time without a line end costs linear time and bounded memory', () => {
    const splitter = createLineSplitter(262_144);
    const byte = Buffer.from('x');
    const startedMs = performance.now();
    let parts = 0;
    for (let index = 0; index < 600_000; index++) parts += splitter.push(byte).length;
    expect(parts).toBe(2);
    expect(performance.now() - startedMs).toBeLessThan(5000);
  });
});
