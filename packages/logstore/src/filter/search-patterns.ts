import { RE2JS } from 're2js';
import { foldCase } from './fold-case.ts';

/** Backticks hold words that must follow one another. */
const PARTS = /`([^`]*)`|([^`]+)/g;
const WORDS = /[\p{L}\p{N}_]+/gu;

/**
 * RE2 patterns, for folded text, of which each finds one word of `query` as a whole word; words in backticks make one
 * pattern together, with anything but letters and digits between them. Empty when the query has no words.
 */
export function searchPatterns(query: string): string[] {
  const patterns: string[] = [];
  for (const [, phrase, plain] of foldCase(query).matchAll(PARTS)) {
    if (phrase !== undefined) {
      const words = phrase.match(WORDS);
      if (words) patterns.push(asWhole(words));
    } else {
      for (const word of plain?.match(WORDS) ?? []) patterns.push(asWhole([word]));
    }
  }
  return [...new Set(patterns)];
}

function asWhole(words: readonly string[]): string {
  const quoted = words.map((word) => RE2JS.quote(word)).join('[^\\pL\\pN_]+');
  return `(?:^|[^\\pL\\pN_])${quoted}(?:$|[^\\pL\\pN_])`;
}
