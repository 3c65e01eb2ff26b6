/**
 * Returns text with control, bidirectional and invisible characters replaced by visible escapes such as `\u{202e}`, so that
 * the text cannot read as something else. Tabs and line breaks stay.
 */
export function visible(text: string): string {
  return text.replaceAll(/(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu, (character) => {
    return `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
}
