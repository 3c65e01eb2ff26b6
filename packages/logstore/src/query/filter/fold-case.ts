// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/;

/**
 * Returns `text` in lower case, one code point for each: Unicode's simple case mapping, as in DuckDB's `lower`.
 * `toLowerCase` depends on the following character (Σ) and may return two code points for one (İ).
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

/** Compares by code points, which is the order of UTF-8; `<` compares UTF-16 units. */
export function compareText(left: string, right: string): number {
  if (ASCII.test(left) && ASCII.test(right)) return left < right ? -1 : Number(left > right);
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
