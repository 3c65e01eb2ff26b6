const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;
const EXTENSION = /\.[A-Za-z0-9]{1,8}$/;
/** Names up to this many graphemes stay whole. */
const WHOLE_MOST = 16;
const TAIL_LENGTH = 8;

/**
 * Splits a long name where its middle may be left out. The tail has the file extension; it is empty for names that can
 * only be cut at their end. Graphemes stay whole. In a name with right-to-left letters, the tail begins after the last of
 * them and before a run of Latin letters: only there do the parts, side by side, read as the whole name does.
 */
export function splitTail(text: string): { readonly head: string; readonly tail: string } {
  const graphemes = Array.from(GRAPHEMES.segment(text), ({ segment }) => segment);
  if (graphemes.length <= WHOLE_MOST) return { head: text, tail: '' };
  const extension = EXTENSION.exec(text)?.[0] ?? '';
  const lastRightToLeft = graphemes.findLastIndex((grapheme) => RIGHT_TO_LEFT.test(grapheme));
  const length = lastRightToLeft < 0 ? Math.max(TAIL_LENGTH, extension.length) : lengthAfter(lastRightToLeft);
  const at = graphemes.length - length;
  return { head: graphemes.slice(0, at).join(''), tail: graphemes.slice(at).join('') };

  function lengthAfter(last: number): number {
    const latin = graphemes.findIndex((grapheme, index) => index > last && /^\p{L}/u.test(grapheme));
    const fromLatin = latin < 0 ? 0 : graphemes.length - latin;
    return fromLatin > WHOLE_MOST ? extension.length : Math.max(fromLatin, extension.length);
  }
}
