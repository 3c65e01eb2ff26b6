const STRONG = /\p{L}/u;
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** The direction of a text is that of its first letter. Source: Unicode Standard Annex 9, P2. */
export function isRightToLeft(text: string): boolean {
  const [letter = ''] = STRONG.exec(text) ?? [];
  return RIGHT_TO_LEFT.test(letter);
}
