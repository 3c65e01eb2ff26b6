import { Marked, type Token } from 'marked';
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

/** Reads only the last blocks again when text was added at the end: an answer's settled part costs nothing. */
export function createBlockReader(): BlockReader {
  let blocks: readonly Token[] = [];
  let before = '';
  /** A definition changes links anywhere above it: then all is read again. */
  let hasDefinition = false;

  return {
    read(source) {
      const text = source.replaceAll(/\r\n?/g, '\n');
      const settled = text.startsWith(before) && !hasDefinition ? countSettled(blocks) : 0;
      let tokens = lex(text.slice(lengthOf(blocks.slice(0, settled))));
      let isAnew = false;
      if (tokens.some((token) => token.type === 'def')) {
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

/** The blocks of a text. */
export function lex(text: string): readonly Token[] {
  return marked.lexer(text);
}
