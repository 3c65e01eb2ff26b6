// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/;

/**
 * `text` in lower case, one code point for each: the simple mapping of Unicode, which DuckDB's `lower` has too, where
 * `toLowerCase` looks at what follows (Σ) and makes two of one (İ).
 */
export function foldCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  let folded = '';
  for (const character of text) {
    const lower = character.toLowerCase();
    folded += String.fromCodePoint(lower.codePointAt(0) ?? 0);
  }
  return folded;
}

/** Negative, zero or positive by the order of code points, which is that of UTF-8; `<` compares UTF-16 units. */
export function compareText(left: string, right: string): number {
  if (ASCII.test(left) && ASCII.test(right)) return left < right ? -1 : Number(left > right);
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
