import { NAMED_ESCAPES } from '../filter/tokenize.ts';
import { Untranslatable } from './sql-error.ts';

/** Escape sequences of string literals. Source: GoogleSQL, "Lexical structure and syntax", escape sequences. */
const ESCAPE = /\\(?:([0-7]{3})|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))/g;

const NAMED: Readonly<Record<string, string>> = { ...NAMED_ESCAPES, '?': '?', '`': '`' };

const LITERAL = /^(?<prefix>[rRbB]{0,2})(?<quote>'''|"""|'|")(?<body>[\s\S]*)\k<quote>$/;

/**
 * Returns a string or bytes literal of the warehouse as a DuckDB expression. `'…'` without a backslash is returned as
 * it is. The warehouse refuses unknown escapes; here their backslash stays, so that `'\d'` is a pattern for a digit, as
 * in DuckDB.
 * @throws Untranslatable for an escape that the two would read differently, and for a NUL character.
 */
export function readLiteral(text: string): string {
  const { prefix = '', quote = "'", body = '' } = LITERAL.exec(text)?.groups ?? {};
  const isBytes = /b/i.test(prefix);
  const isPlain = prefix === '' && quote === "'";
  if (isPlain && !body.includes('\\')) return text;
  const isRaw = /r/i.test(prefix);
  const single = quote.length === 1 ? body.replaceAll(quote + quote, quote) : body;
  const value = isRaw ? body : resolveEscapes(single, isBytes);
  if (value.includes('\0') && !isBytes) throw new Untranslatable('A string cannot hold a NUL character.');
  return isBytes ? quoteBytes(value) : `'${value.replaceAll("'", "''")}'`;
}

function resolveEscapes(body: string, isBytes: boolean): string {
  return body.replaceAll(ESCAPE, (whole, octal, hex, short, long, other) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    const codePoint = Number.parseInt(short ?? long ?? '', 16);
    if (codePoint > 0x10ffff) throw new Untranslatable(`${whole} is not a character.`);
    if (!Number.isNaN(codePoint)) return String.fromCodePoint(codePoint);
    if (other === 'b' && !isBytes) {
      throw new Untranslatable(
        "\\b is a backspace in a string and a word boundary in a pattern. Write r'…' for a pattern, or \\x08 for a backspace.",
      );
    }
    return NAMED[other] ?? whole;
  });
}

/** Characters up to U+00FF from escapes are bytes; all others are UTF-8. */
function quoteBytes(value: string): string {
  const bytes = [...value].flatMap((character) => {
    const codePoint = character.codePointAt(0) ?? 0;
    return codePoint < 0x100 ? [codePoint] : [...Buffer.from(character)];
  });
  return `CAST('${bytes.map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}' AS BLOB)`;
}
