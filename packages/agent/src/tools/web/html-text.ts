import { Parser } from 'htmlparser2';

export interface PageText {
  /** Empty when the page has none. */
  readonly title: string;
  readonly text: string;
}

/** What nobody reads, with all in it. */
const SKIPPED = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'nav',
  'footer',
  'form',
  'iframe',
  'select',
]);
/** Stand on lines of their own. */
const BLOCKS = new Set(
  'address article aside blockquote br dd div dl dt figcaption h1 h2 h3 h4 h5 h6 header hr li main ol p pre section table tr ul'.split(
    ' ',
  ),
);
const CELLS = new Set(['td', 'th']);

const MAX_TITLE = 300;
/** The parser's work grows with the square of the depth: no page that somebody reads is as deep. */
const MAX_DEPTH = 1_000;
/** Parsed before the depth is looked at again. */
const PIECE = 16_384;

/** The text of a page: a line a block, list items with a dash, cells apart, without its scripts, menus and forms. */
export function htmlText(source: string): PageText {
  let title = '';
  const pieces: string[] = [];
  /** The last character; the text itself is not looked at before it is whole. */
  let end = '\n';
  let depth = 0;
  let skipping = 0;
  let preformatted = 0;
  let isTitle = false;
  const put = (piece: string) => {
    if (piece === '') return;
    pieces.push(piece);
    end = piece.at(-1) as string;
  };
  const newLine = () => {
    if (end !== '\n') put('\n');
  };
  const parser = new Parser({
    onopentagname(name) {
      depth++;
      if (SKIPPED.has(name)) skipping++;
      if (name === 'title') isTitle = true;
      if (name === 'pre') preformatted++;
      if (BLOCKS.has(name)) newLine();
      if (name === 'li') put('- ');
      if (CELLS.has(name) && end !== '\n') put(' | ');
    },
    ontext(piece) {
      if (isTitle) title += piece;
      else if (skipping > 0) return;
      else if (preformatted > 0) put(piece);
      else {
        const words = piece.replace(/\s+/g, ' ');
        put(end === '\n' || end === ' ' ? words.trimStart() : words);
      }
    },
    onclosetag(name) {
      depth--;
      if (SKIPPED.has(name)) skipping--;
      if (name === 'title') isTitle = false;
      if (name === 'pre') preformatted--;
      if (BLOCKS.has(name)) newLine();
    },
  });
  for (let start = 0; start < source.length && depth <= MAX_DEPTH; start += PIECE) {
    parser.write(source.slice(start, start + PIECE));
  }
  if (depth > MAX_DEPTH) put('\n[the rest is nested too deep to be read]');
  else parser.end();
  return {
    title: title.replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE).toWellFormed(),
    text: tidy(pieces.join('')),
  };
}

/** Without spaces at the ends of lines, and without several empty lines together. */
function tidy(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd());
  return lines
    .filter((line, index) => line !== '' || lines[index - 1] !== '')
    .join('\n')
    .trim();
}
