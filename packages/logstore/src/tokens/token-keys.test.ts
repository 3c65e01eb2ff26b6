import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTokenFilterBuilder, mayHaveKeys, type TokenFilter } from './token-filter.ts';
import { createKeyScanner, keysOf } from './token-keys.ts';

function filterOf(...texts: readonly string[]): TokenFilter {
  const builder = createTokenFilterBuilder();
  const scanner = createKeyScanner(builder.addWord, builder.addGram);
  for (const text of texts) scanner.scan(Buffer.from(text));
  scanner.end();
  return builder.build();
}

const character = fc.constantFrom(...'abcdefxyz0123456789_ -/"é😀');
const text = fc.array(character, { maxLength: 60 }).map((characters) => characters.join(''));

test('a text has the keys of every part of it, and as a whole those of its tokens', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 5 }), text, text, text, (others, before, part, after) => {
      const filter = filterOf(...others, before + part + after);
      expect(mayHaveKeys(filter, keysOf(part, false))).toBe(true);
      expect(mayHaveKeys(filterOf(`${before} ${part}-${after}`), keysOf(part, true))).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

test('words, numbers and parts of both that a text does not have are excluded', () => {
  const filter = filterOf('order 7654321 handled by worker-12', 'queue is 512 long');
  const has = (part: string, isWhole = false) => mayHaveKeys(filter, keysOf(part, isWhole));
  for (const part of ['order', 'rder', '654321', '7654321 handled', 'worker-1', 'ueue is'])
    expect(has(part)).toBe(true);
  const absent = ['refund', 'panic', '7654322', '8654321', 'is 514 long', 'order 76543 h'];
  expect(absent.filter((part) => has(part))).toEqual([]);
  expect(has('orde', true)).toBe(false);
  expect(has('worker', true)).toBe(true);
  // Five digits have no gram: they may be a part of any number.
  expect(keysOf('55555', false)).toEqual({ words: [], grams: [] });
});

test('a block of too many different parts keeps its words, and one of too many words excludes nothing', () => {
  const builder = createTokenFilterBuilder();
  builder.addWord(1);
  for (let key = 0; key < 1_000_000; key++) builder.addGram(Math.imul(key, 0x9e3779b1));
  const filter = builder.build();
  expect(filter.hasGrams).toBe(false);
  expect(filter.bits.length).toBeGreaterThan(0);
  expect(mayHaveKeys(filter, { words: [1], grams: [5] })).toBe(true);
  expect(mayHaveKeys(filter, { words: [2], grams: [] })).toBe(false);
  for (let key = 0; key < 1_000_000; key++) builder.addWord(Math.imul(key, 0x9e3779b1));
  expect(mayHaveKeys(builder.build(), { words: [123_456_789], grams: [] })).toBe(true);
});

test('a filter is as small as its keys allow', () => {
  expect(filterOf('a').bits).toHaveLength(64);
  expect(filterOf(...Array.from({ length: 20_000 }, (_, n) => `order ${n * 13}`)).bits.length).toBeLessThan(32_769);
});
