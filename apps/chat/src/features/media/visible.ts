/**
 * Text as it is, with what would change how it reads made visible: control characters, those that turn the direction, and
 * those that nobody sees.
 */
export function visible(text: string): string {
  return text.replaceAll(/(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu, (character) => {
    return `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
}
