/**
 * Hashes of a text's tokens: the maximal runs of ASCII letters, digits and `_`. All other bytes separate tokens, those
 * of other alphabets too.
 */
export interface TokenKeys {
  /** One per whole token. */
  readonly words: readonly number[];
  /** One per part of a token; see {@link createKeyScanner}. */
  readonly grams: readonly number[];
}

/** Bytes of a gram. Six digits have a million values, so few blocks hold a given one by chance. */
const GRAM = 6;
/** Letters of a short gram. There are 17,576, of which ordinary text has a tenth. */
const LETTERS = 3;
const SHORT_GRAMS = 26 ** LETTERS;

/** 0: separates tokens, 1: digit or `_`, 2: letter. */
const CLASSES = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return /[a-z]/.test(character) ? 2 : /[0-9_]/.test(character) ? 1 : 0;
});
const FIRST_LETTER = 97;

/** FNV-1a, whose constants these are, over the bytes of a word. */
const WORD_BASIS = 0x811c9dc5;
const WORD_PRIME = 0x01000193;
/** A polynomial over the last bytes, so that the next gram follows from the previous gram. */
const GRAM_PRIME = 0x01000197;
const GRAM_OUT = Array.from({ length: GRAM }).reduce<number>((power) => Math.imul(power, GRAM_PRIME), 1);
const GRAM_SEED = 0x5bd1e995;
const SHORT_SEED = 0x1b873593;

/** The finalizer of MurmurHash3: every bit of `hash` changes half of the result's. */
function mix(hash: number): number {
  let mixed = hash;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** Collects the keys of many texts. */
export interface KeyScanner {
  /** Passes the keys of a folded text in UTF-8. Keys may be passed more than once. */
  scan(text: Uint8Array): void;
  /** Passes the keys that are collected until the end. */
  end(): void;
}

/** Slots that remember recent keys, so that frequent ones are passed rarely. A power of two. */
const RECENT = 8_192;

/**
 * Creates a scanner that passes the keys of texts: of each token as a word, and the grams of tokens, for searches of
 * parts: every six adjacent bytes, and every three adjacent letters. A token of six bytes has its gram only.
 */
export function createKeyScanner(onWord: (key: number) => void, onGram: (key: number) => void): KeyScanner {
  const word = skipRecent(onWord);
  const gram = skipRecent(onGram);
  const shortGrams = new Uint8Array(SHORT_GRAMS);

  return {
    scan(text) {
      let length = 0;
      let hash = WORD_BASIS;
      let rolling = 0;
      let letters = 0;
      let short = 0;
      // One step beyond the end, which ends the last token.
      for (let index = 0; index <= text.length; index++) {
        const byte = text[index] ?? 0;
        const kind = CLASSES[byte] ?? 0;
        if (kind === 0) {
          if (length > 0 && length !== GRAM) word(mix(hash));
          length = letters = short = rolling = 0;
          hash = WORD_BASIS;
          continue;
        }
        length++;
        hash = Math.imul(hash ^ byte, WORD_PRIME);
        rolling = (Math.imul(rolling, GRAM_PRIME) + byte) | 0;
        if (length > GRAM) rolling = (rolling - Math.imul(text[index - GRAM] ?? 0, GRAM_OUT)) | 0;
        if (length >= GRAM) gram(mix(rolling ^ GRAM_SEED));
        if (kind === 1) letters = short = 0;
        else {
          letters++;
          short = ((short % (SHORT_GRAMS / 26)) * 26 + byte - FIRST_LETTER) | 0;
          if (letters >= LETTERS) shortGrams[short] = 1;
        }
      }
    },
    end() {
      for (let value = 0; value < SHORT_GRAMS; value++) if (shortGrams[value]) onGram(mix(value ^ SHORT_SEED));
    },
  };
}

/** Returns `visit` without most of the calls that repeat a key. */
function skipRecent(visit: (key: number) => void): (key: number) => void {
  const recent = new Int32Array(RECENT);
  // Each slot begins with a key that belongs into another one.
  recent[0] = 1;
  return (key) => {
    if (recent[key & (RECENT - 1)] === key) return;
    recent[key & (RECENT - 1)] = key;
    visit(key);
  };
}

const TOKEN = /[a-z0-9_]+/g;

/** Returns the tokens of a folded text. */
export function tokensOf(text: string): readonly string[] {
  return text.match(TOKEN) ?? [];
}

/**
 * Returns keys that every text has which contains the folded `text`.
 * @param isWhole true when no token of the text may go on beyond the beginning or the end of `text`.
 */
export function keysOf(text: string, isWhole: boolean): TokenKeys {
  const words: number[] = [];
  const grams: number[] = [];
  let isPart = false;
  const scanner = createKeyScanner(
    (key) => isPart || words.push(key),
    (key) => grams.push(key),
  );
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    isPart = !isWhole && (index === 0 || index + token.length === text.length);
    scanner.scan(Buffer.from(token));
  }
  scanner.end();
  return { words, grams };
}
