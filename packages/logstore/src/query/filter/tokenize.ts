import { FilterError, show } from './filter-error.ts';

export type ComparisonOperator = '=' | '!=' | '<' | '<=' | '>' | '>=' | ':' | '=~' | '!~';

interface Place {
  /** Column of its first character, from 1. */
  readonly column: number;
  /** Column of the character after it. */
  readonly endColumn: number;
}

export type Token = Place &
  (
    | { readonly kind: 'word'; readonly text: string; readonly segments: readonly string[] }
    | { readonly kind: 'quoted'; readonly text: string; readonly raw: string }
    | { readonly kind: 'operator'; readonly text: ComparisonOperator }
    | { readonly kind: '(' | ')' | '-' | ',' | 'end'; readonly text: string }
  );

/** Blanks and comments. */
const SKIPPED = /(?:\s|--[^\n]*)+/y;
const OPERATOR = /=~|!~|!=|<=|>=|[=<>:]/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/sy;
/** A word ends at a space, a quote, a parenthesis, an operator or a comment. */
const WORD = /(?:(?!--)[^\s"()=<>:!~,])+/y;
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([0-7]{3})|(.))/gs;
/** Escapes of one character after the backslash, as in C. */
export const NAMED_ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
  "'": "'",
};

/**
 * Splits a log filter into tokens; the last one is `end`. Takes time linear in its length.
 * @throws FilterError
 */
export function tokenize(filter: string): Token[] {
  const tokens: Token[] = [];
  let position = 0;
  /** Open parentheses of a list of values: `field=(…`. */
  let listDepth = 0;

  function match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = position;
    return pattern.exec(filter);
  }

  /** Reads a path such as `jsonPayload."a b".c`: a word that ends with a dot continues with a quoted part. */
  function readWord(column: number, first: string): Token {
    const segments = first.split('.');
    position += first.length;
    while (segments.at(-1) === '' && filter[position] === '"') {
      const { text, raw } = readQuoted(position + 1);
      segments[segments.length - 1] = text;
      position += raw.length + 2;
      // Stryker disable next-line OptionalChaining: a dot is a word or its beginning.
      const more = filter[position] === '.' ? match(WORD)?.[0] : undefined;
      if (more === undefined) break;
      segments.push(...more.slice(1).split('.'));
      position += more.length;
    }
    return { kind: 'word', text: filter.slice(column - 1, position), segments, column, endColumn: position + 1 };
  }

  function readQuoted(column: number): { readonly text: string; readonly raw: string } {
    const raw = match(QUOTED)?.[1];
    if (raw === undefined) throw new FilterError('the quoted text is not closed: expected a "', column);
    return { text: resolveEscapes(raw), raw };
  }

  /** Returns true for a dash that belongs to a value: after an operator, or before a digit in a list of values. */
  function isSign(): boolean {
    if (tokens.at(-1)?.kind === 'operator') return true;
    return listDepth > 0 && /[\d.]/.test(filter.charAt(position + 1));
  }

  for (;;) {
    position += match(SKIPPED)?.[0].length ?? 0;
    const column = position + 1;
    const character = filter[position];
    if (character === undefined) {
      tokens.push({ kind: 'end', text: '', column, endColumn: column });
      return tokens;
    }
    const operator = match(OPERATOR)?.[0] as ComparisonOperator | undefined;
    if (operator !== undefined) {
      position += operator.length;
      tokens.push({ kind: 'operator', text: operator, column, endColumn: position + 1 });
    } else if (character === '(' || character === ')' || character === ',') {
      if (character === '(' && (listDepth > 0 || tokens.at(-1)?.kind === 'operator')) listDepth++;
      if (character === ')' && listDepth > 0) listDepth--;
      position++;
      tokens.push({ kind: character, text: character, column, endColumn: column + 1 });
    } else if (character === '"') {
      const { text, raw } = readQuoted(column);
      position += raw.length + 2;
      tokens.push({ kind: 'quoted', text, raw, column, endColumn: position + 1 });
    } else if (character === '-' && !isSign()) {
      position++;
      tokens.push({ kind: '-', text: '-', column, endColumn: column + 1 });
    } else {
      const word = character === "'" ? undefined : match(WORD)?.[0];
      if (word === undefined) {
        const hint = character === "'" ? '; quote text with "' : '; quote text that holds it';
        throw new FilterError(`${show(character)} is not valid here${hint}`, column);
      }
      tokens.push(readWord(column, word));
    }
  }
}

/** Resolves `\n`, `\"`, `\u00e9`, `\x41`, `\101`, …; any other backslash stays. */
function resolveEscapes(raw: string): string {
  return raw.replaceAll(ESCAPE, (whole, unicode, hex, octal, other) => {
    if (unicode !== undefined || hex !== undefined) return String.fromCharCode(Number.parseInt(unicode ?? hex, 16));
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
    return NAMED_ESCAPES[other] ?? whole;
  });
}

const REGEX_ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(.))/gs;

/**
 * Returns the pattern of a quoted regular expression. Only `\\`, `\"` and `\uXXXX` are resolved, so that both `"\d+\b"`
 * and `"\\d+\\b"` are the pattern `\d+\b`.
 */
export function unescapePattern(raw: string): string {
  return raw.replaceAll(REGEX_ESCAPE, (whole, unicode, other) => {
    if (unicode !== undefined) return String.fromCharCode(Number.parseInt(unicode, 16));
    return other === '\\' || other === '"' ? other : whole;
  });
}
