import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLineSplitter, MAX_LINE_BYTES } from './line-splitter.ts';

function split(...chunks: readonly (string | Uint8Array)[]): string[] {
  const splitter = createLineSplitter();
  const lines = chunks.flatMap((chunk) => splitter.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
  return [...lines, ...splitter.flush()];
}

describe('createLineSplitter', () => {
  test.each([
    ['a\nb\n', ['a', 'b']],
    ['a\r\nb\r\n', ['a', 'b']],
    ['no end', ['no end']],
    ['\n\na\n', ['', '', 'a']],
    ['', []],
    ['10%\r20%\r100%\ndone\n', ['100%', 'done']],
    ['10%\r20%\r', ['20%']],
    ['20%\r\n', ['20%']],
    ['a\r\r\nb', ['', 'b']],
  ])('%j', (text, expected) => {
    expect(split(text)).toEqual(expected);
  });

  test('a CR and its LF in two chunks', () => {
    expect(split('a\r', '\nb')).toEqual(['a', 'b']);
  });

  test('a character in two chunks, and bytes that are none', () => {
    const euro = Buffer.from('€');
    expect(split(euro.subarray(0, 1), euro.subarray(1), '\n', Buffer.from([0xff, 0x41]))).toEqual(['€', '\ufffdA']);
  });

  test('a long line is cut between characters', () => {
    const lines = split(`${'€'.repeat(20_000)}\n`);
    expect(lines.join('')).toBe('€'.repeat(20_000));
    expect(lines).toHaveLength(Math.ceil(60_000 / (MAX_LINE_BYTES - 1)));
  });

  test('no line is over the limit, however the bytes are', () => {
    const bytes = fc.oneof(fc.uint8Array({ maxLength: 50 }), fc.constant(new Uint8Array(20_000).fill(0xff)));
    fc.assert(
      fc.property(fc.array(bytes), (chunks) => {
        for (const line of split(...chunks)) {
          expect(Buffer.byteLength(line)).toBeLessThanOrEqual(MAX_LINE_BYTES);
          expect(line).not.toMatch(/[\r\n]/);
        }
      }),
      { numRuns: 30 },
    );
  });

  test('how it is cut into chunks makes no difference', () => {
    const text = fc.array(fc.constantFrom('a', 'ü', '€', '😀', '\n', '\r', '\r\n')).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.array(fc.nat(200)), (whole, cuts) => {
        const bytes = Buffer.from(whole);
        const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        expect(split(...chunks)).toEqual(split(bytes));
      }),
    );
  });
});
