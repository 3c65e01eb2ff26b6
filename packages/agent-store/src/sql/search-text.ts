import { createHash } from 'node:crypto';
import type { OwnerKey } from '../ports/owner-key.ts';
import type { NewMessage } from '../ports/stored-message.ts';

/** Characters of a message that can be searched. Postgres limits the tokens of a row to 1 MiB. */
const SEARCHED_CHARACTERS = 20_000;
/** Characters of a token before they are encoded. */
const GRAM = 3;
/** Words of a query that count. */
const MAX_WORDS = 12;
/** Characters of an excerpt before and after the first match. */
const BEFORE = 40;
const AFTER = 120;

/** A piece of an excerpt; `isMatch` for one that matches the query. */
export interface ExcerptPiece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** Returns the text of a message that is searched: what was said, then the names of its files. */
export function searchedText({ content, attachments = [] }: Pick<NewMessage, 'content' | 'attachments'>): string {
  const texts =
    typeof content === 'string' ? [content] : content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return [...texts, ...attachments.map(({ name }) => name)].join('\n').slice(0, SEARCHED_CHARACTERS);
}

/** Returns the tokens of a message: that of its owner, and the parts of its words by which any substring is found. */
export function tokensOf(owner: OwnerKey, text: string): readonly string[] {
  const tokens = new Set([ownerToken(owner)]);
  for (const word of fold(text).folded.split(/\s+/)) {
    for (let at = 0; at < word.length; at++) tokens.add(encode(word.slice(at, at + GRAM)));
  }
  return [...tokens];
}

/** The words and phrases of a search. */
export interface TextQuery {
  readonly words: readonly string[];
  /** Tokens that a message has; one with `isPrefix` is the beginning of a token. */
  readonly tokens: readonly { readonly token: string; readonly isPrefix: boolean }[];
}

/**
 * Returns the query for messages that contain all words of `text`; undefined without a word of two characters or more, since one
 * character would match nearly every message.
 */
export function parseTextQuery(owner: OwnerKey, text: string): TextQuery | undefined {
  const words = fold(text)
    .folded.split(/\s+/)
    .filter((word) => word.length > 1)
    .slice(0, MAX_WORDS);
  if (words.length === 0) return undefined;
  const grams = words.flatMap((word) =>
    word.length < GRAM
      ? [{ token: encode(word), isPrefix: true }]
      : Array.from({ length: word.length - GRAM + 1 }, (_, at) => ({
          token: encode(word.slice(at, at + GRAM)),
          isPrefix: false,
        })),
  );
  const unique = new Map(grams.map((gram) => [gram.token, gram]));
  return { words, tokens: [{ token: ownerToken(owner), isPrefix: false }, ...unique.values()] };
}

/** Returns the part of `text` around the first word that matches; undefined unless all words do. */
export function excerptOf(text: string, words: readonly string[]): readonly ExcerptPiece[] | undefined {
  const { folded, places } = fold(text);
  const first = words.map((word) => folded.indexOf(word));
  if (first.some((at) => at < 0)) return undefined;
  const begin = places[Math.min(...first)] ?? 0;
  const from = wordStart(text, Math.max(0, begin - BEFORE), begin);
  const to = Math.min(text.length, begin + AFTER);
  const marks: { from: number; to: number }[] = [];
  for (const word of words) {
    for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + word.length)) {
      const mark = { from: places[at] ?? 0, to: places[at + word.length] ?? text.length };
      if (mark.from >= to) break;
      if (mark.from >= from) marks.push(mark);
    }
  }
  const pieces: ExcerptPiece[] = [];
  const add = (piece: string, isMatch: boolean) => {
    const shown = piece.replaceAll(/\s+/g, ' ');
    if (shown !== '') pieces.push({ text: shown, isMatch });
  };
  let at = from;
  for (const mark of marks.sort((one, other) => one.from - other.from)) {
    if (mark.from < at) continue;
    add((at === from && from > 0 ? '…' : '') + text.slice(at, mark.from), false);
    add(text.slice(mark.from, mark.to), true);
    at = mark.to;
  }
  const end = Math.max(at, text.charCodeAt(to - 1) >> 10 === 0x36 ? to - 1 : to);
  add(text.slice(at, end) + (end < text.length ? '…' : ''), false);
  return pieces;
}

/** Returns the start of the first whole word at or after `from`, at most `limit`. */
function wordStart(text: string, from: number, limit: number): number {
  if (from === 0) return 0;
  const space = text.slice(from, limit).search(/\s/);
  if (space >= 0) return from + space + 1;
  // A low surrogate is the second half of a character.
  return text.charCodeAt(from) >> 10 === 0x37 ? from + 1 : from;
}

/** Accents, Hebrew points, Arabic vowel signs and the Arabic kashida: writers leave them out as they like. */
const IGNORED = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]/g;
/** Arabic letters that are commonly written for each other. */
const ALIKE: Readonly<Record<string, string>> = { ى: 'ي', ة: 'ه' };

/** Returns the text in the form in which it is compared, and for each of its characters, and its end, the place in `text`. */
function fold(text: string): { readonly folded: string; readonly places: readonly number[] } {
  let folded = '';
  const places: number[] = [];
  let place = 0;
  for (const character of text) {
    const plain = character.normalize('NFKD').toLowerCase().normalize('NFKD').replaceAll(IGNORED, '');
    const letters = ALIKE[plain] ?? plain;
    folded += letters;
    for (let at = 0; at < letters.length; at++) places.push(place);
    place += character.length;
  }
  places.push(place);
  return { folded, places };
}

/** Encodes characters as letters and digits that sort alike, so that a tokenizer leaves them as they are. */
function encode(text: string): string {
  let encoded = '';
  for (let at = 0; at < text.length; at++) encoded += text.charCodeAt(at).toString(16).padStart(4, '0');
  return encoded;
}

/** The token of an owner's messages. Its first letter is no hexadecimal digit. */
function ownerToken(owner: OwnerKey): string {
  return `o${createHash('sha256').update(owner).digest('hex').slice(0, 20)}`;
}
