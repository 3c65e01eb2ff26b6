import type { TokenKeys } from './token-keys.ts';

/** A Bloom filter of token keys. Source: Bloom, "Space/time trade-offs in hash coding", 1970. */
export interface TokenFilter {
  /** A power of two; empty when the filter excludes nothing. */
  readonly bits: Uint8Array;
  /** False when the keys of parts were left out, as there were too many. */
  readonly hasGrams: boolean;
}

/** Bits that a key sets. With half of all bits set, one key in 16 seems to be there that is not. */
const PROBES = 4;
/** 128 KiB: a filter is a fraction of the row group that it saves from being read. */
const MAX_BYTES = 2 ** 17;
const MIN_BYTES = 64;
/** Largest share of set bits. */
const MAX_FILL = 0.5;

/** A filter under construction. */
export interface TokenFilterBuilder {
  addWord(key: number): void;
  addGram(key: number): void;
  /** Returns the smallest filter that is at most half full. */
  build(): TokenFilter;
}

export function createTokenFilterBuilder(): TokenFilterBuilder {
  const words = new Uint8Array(MAX_BYTES);
  const all = new Uint8Array(MAX_BYTES);
  return {
    addWord(key) {
      setBits(words, key);
      setBits(all, key);
    },
    addGram: (key) => setBits(all, key),
    build() {
      if (fillOf(all) <= MAX_FILL) return { bits: fold(all), hasGrams: true };
      return { bits: fillOf(words) <= MAX_FILL ? fold(words) : new Uint8Array(), hasGrams: false };
    },
  };
}

/** Returns false when a key is missing; true for all that are there, and rarely for others. */
export function mayHaveKeys({ bits, hasGrams }: TokenFilter, { words, grams }: TokenKeys): boolean {
  if (bits.length === 0) return true;
  return words.every((key) => hasBits(bits, key)) && (!hasGrams || grams.every((key) => hasBits(bits, key)));
}

/** Distance between the bits of a key. Odd, so that it visits every bit. */
function stepOf(key: number): number {
  return Math.imul(key ^ (key >>> 15), 0x2c1b3c6d) | 1;
}

function setBits(bits: Uint8Array, key: number): void {
  const mask = bits.length * 8 - 1;
  const step = stepOf(key);
  for (let probe = 0, at = key; probe < PROBES; probe++, at = (at + step) | 0) {
    const bit = at & mask;
    bits[bit >>> 3] = (bits[bit >>> 3] ?? 0) | (1 << (bit & 7));
  }
}

function hasBits(bits: Uint8Array, key: number): boolean {
  const mask = bits.length * 8 - 1;
  const step = stepOf(key);
  for (let probe = 0, at = key; probe < PROBES; probe++, at = (at + step) | 0) {
    const bit = at & mask;
    if (((bits[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

/** Halves the filter while it stays at most half full: a bit of the smaller one is where either of two was. */
function fold(bits: Uint8Array): Uint8Array {
  let folded = bits;
  while (folded.length > MIN_BYTES) {
    const half = folded.length / 2;
    const smaller = folded.slice(0, half);
    for (let index = 0; index < half; index++) smaller[index] = (smaller[index] ?? 0) | (folded[half + index] ?? 0);
    if (fillOf(smaller) > MAX_FILL) break;
    folded = smaller;
  }
  return folded;
}

const ONES = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

function fillOf(bits: Uint8Array): number {
  let ones = 0;
  for (const byte of bits) ones += ONES[byte] ?? 0;
  return ones / (bits.length * 8);
}
