const STRONG = /\p{L}/u;
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Returns true when the first letter of a text is of a right-to-left script. Source: Unicode Standard Annex 9, P2. */
export function isRightToLeft(text: string): boolean {
  const [letter = ''] = STRONG.exec(text) ?? [];
  return RIGHT_TO_LEFT.test(letter);
}
