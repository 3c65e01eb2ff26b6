import { Parser } from 'htmlparser2';

export interface PageText {
  /** The page's title; may be empty. */
  readonly title: string;
  readonly text: string;
}

/** Elements skipped with their content. */
const SKIPPED = new Set('script style noscript template svg nav footer form iframe select'.split(' '));
/** Block elements, each on its own line. */
const BLOCKS = new Set(
  'address article aside blockquote br dd div dl dt figcaption h1 h2 h3 h4 h5 h6 header hr li main ol p pre section table tr ul'.split(
    ' ',
  ),
);
const CELLS = new Set(['td', 'th']);

const MAX_TITLE = 300;
/** Deepest nesting; the parser's work grows with its square. */
const MAX_DEPTH = 1_000;
/** Parsed before the depth is looked at again. */
const PIECE = 16_384;

/** Returns the text of a page: one line per block, list items with a dash, cells separated, without scripts, menus and forms. */
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

const TEXT_TYPES = /^(text\/|application\/(json|xml|javascript|x-ndjson|[\w.-]+\+(json|xml)))/;
const HTML_TYPES = /^(text\/html|application\/xhtml)/;

/** Returns the text of a page; undefined when it is no text. */
export function pageText(bytes: Buffer, contentType: string): PageText | undefined {
  const type = contentType.toLowerCase();
  if (!TEXT_TYPES.test(type)) return undefined;
  const source = decode(bytes, /charset="?([\w-]+)/.exec(type)?.[1]);
  return HTML_TYPES.test(type) ? htmlText(source) : { title: '', text: source };
}

/** Creates a decoder for the page's charset; UTF-8 for an unknown one. */
function decode(bytes: Buffer, charset = 'utf-8'): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString('utf8');
  }
}
