/** Longest title that a model writes, in characters as people count them. */
const MAX_GRAPHEMES = 60;

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Marks that models put around a title: quotation marks of any language, Markdown. */
const AROUND = /^[\s"'“”„‟‘’‚«»‹›「」『』`*_#]+|[\s"'“”„‟‘’‚«»‹›「」『』`*_]+$/gu;
/** Controls, and those of direction, which would change how the rest of a line is shown. */
const CONTROLS = /[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu;

/** Returns a model's answer as a title: its first line without quotation marks, at most 60 characters; undefined for an empty one. */
export function cleanTitle(answer: string): string | undefined {
  const line = answer.split(/[\r\n]+/u).find((one) => one.replace(AROUND, '') !== '') ?? '';
  const title = line
    .replace(CONTROLS, ' ')
    .replace(/\s+/gu, ' ')
    .replace(AROUND, '')
    .replace(/[.。]+$/u, '')
    .replace(AROUND, '');
  const graphemes = [...GRAPHEMES.segment(title)].map(({ segment }) => segment);
  if (graphemes.length <= MAX_GRAPHEMES) return title || undefined;
  return `${graphemes
    .slice(0, MAX_GRAPHEMES - 1)
    .join('')
    .trimEnd()}…`;
}
