import { RE2JS } from 're2js';
import { foldCase } from './fold-case.ts';

/** Backticks enclose words that must be adjacent. */
const PARTS = /`([^`]*)`|([^`]+)/g;
const WORDS = /[\p{L}\p{N}_]+/gu;

/** Adjacent words. */
export interface SearchPhrase {
  readonly words: readonly string[];
  /** RE2 pattern for folded text: whole words, separated by anything but letters and digits. */
  readonly pattern: string;
}

/** Returns what `query` searches for: each word by itself, words in backticks together. Empty without a word. */
export function searchPhrases(query: string): SearchPhrase[] {
  const phrases = new Map<string, SearchPhrase>();
  const add = (words: readonly string[]) => {
    const pattern = asWhole(words);
    phrases.set(pattern, { words, pattern });
  };
  for (const [, phrase, plain] of foldCase(query).matchAll(PARTS)) {
    if (phrase !== undefined) {
      const words = phrase.match(WORDS);
      if (words) add(words);
    } else {
      for (const word of plain?.match(WORDS) ?? []) add([word]);
    }
  }
  return [...phrases.values()];
}

function asWhole(words: readonly string[]): string {
  const quoted = words.map((word) => RE2JS.quote(word)).join('[^\\pL\\pN_]+');
  return `(?:^|[^\\pL\\pN_])${quoted}(?:$|[^\\pL\\pN_])`;
}
