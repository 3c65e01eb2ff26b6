export type Direction = 'ltr' | 'rtl';

/** Parts of Markdown that say nothing about the direction: code, formulas, link targets, addresses and check boxes. */
const NEUTRAL = /`+[^`]*`+|\$[^$\n]*\$|\]\([^)\n]*\)|https?:\/\/\S+|\[(?:\^[^\]\n]*|[xX])\]|&#?\w+;/g;
const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\p{Script=Mandaic}]/u;
/** The first letter of a text is close to its start. */
const READ_CHARACTERS = 1_000;

/**
 * Returns the base direction of a text, which is that of its first letter; undefined without letters. For lists and tables:
 * `dir="auto"` ignores elements with a `dir` of their own, so it finds no letters there. Source: Unicode UAX #9, rule P2.
 */
export function directionOf(text: string): Direction | undefined {
  const letter = /\p{L}/u.exec(text.slice(0, READ_CHARACTERS).replaceAll(NEUTRAL, ' '))?.[0];
  if (letter === undefined) return undefined;
  return RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr';
}
