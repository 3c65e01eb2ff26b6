import { Marked, type Token, type TokensList } from 'marked';
import { MATH } from './math.ts';

/** Reads markdown that grows. */
export interface BlockReader {
  /** Blocks of the text: so many are those of the reading before, and these follow them. */
  read(text: string): { readonly kept: number; readonly added: readonly Token[] };
}

/**
 * What is added can change these blocks: text joins the last one, and a line that stood alone may turn out to go on with the
 * one before it, or that with the one before. Two were not enough for one of 500,000 random texts, three for all.
 */
const UNSETTLED = 4;

/** What begins a formula on lines of its own: its end, however far below, takes in all that stood between. */
const OPENS_FORMULA = /(?:^|\n) {0,3}(?:\$\$|\\\[)/;

/** Reads only the last blocks again when text was added at the end: an answer's settled part costs nothing. */
export function createBlockReader(): BlockReader {
  let blocks: readonly Token[] = [];
  let before = '';
  /** A definition changes links anywhere above it: then all is read again. */
  let hasDefinition = false;

  return {
    read(source) {
      const text = source.replaceAll(/\r\n?/g, '\n');
      const canSettle = text.startsWith(before) && !hasDefinition && !OPENS_FORMULA.test(text);
      const settled = canSettle ? countSettled(blocks) : 0;
      let tokens = lex(text.slice(lengthOf(blocks.slice(0, settled))));
      let isAnew = false;
      // In a quotation, too, they count for all of the text.
      if (Object.keys(tokens.links).length > 0) {
        hasDefinition = true;
        isAnew = true;
        if (settled > 0) tokens = lex(text);
      }
      let kept = isAnew ? 0 : settled;
      let same = 0;
      while (!isAnew && same < tokens.length && tokens[same]?.raw === blocks[kept]?.raw) {
        same++;
        kept++;
      }
      const added = tokens.slice(same);
      blocks = [...blocks.slice(0, kept), ...added];
      before = text;
      return { kept, added };
    },
  };
}

function countSettled(blocks: readonly Token[]): number {
  const solid = blocks.flatMap(({ type }, index) => (type === 'space' ? [] : [index]));
  return solid.at(-UNSETTLED) ?? 0;
}

function lengthOf(blocks: readonly Token[]): number {
  return blocks.reduce((sum, { raw }) => sum + raw.length, 0);
}

const marked = new Marked({ gfm: true, breaks: false, extensions: [...MATH] });

/** The blocks of a text, and the definitions of links in it. */
export function lex(text: string): TokensList {
  return marked.lexer(text);
}
