import { Marked, type Token, type TokensList } from 'marked';
import { FOOTNOTES } from './footnotes.ts';
import { growList } from './grow-list.ts';
import { MATH } from './math.ts';
import { shareTokens } from './share-tokens.ts';

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
const OPENS_FORMULA = /(?:^|\n)[\s>]*(?:\$\$|\\\[)/;

/** Reads only the last blocks again when text was added at the end: an answer's settled part costs nothing. */
export function createBlockReader(): BlockReader {
  let blocks: readonly Token[] = [];
  let before = '';
  /** A definition changes links anywhere above it: then all is read again. */
  let hasDefinition = false;
  /** So many blocks have been looked through for a formula that is open: none is in them. */
  let closed = 0;

  /** The first block that a formula opens in and does not end; the number of blocks where there is none. */
  const findOpenFormula = (end: number) => {
    while (closed < end && !isOpenFormula(blocks[closed] as Token)) closed++;
    return Math.min(closed, end);
  };

  return {
    read(source) {
      const text = source.replaceAll(/\r\n?/g, '\n');
      const canSettle = text.startsWith(before) && !hasDefinition;
      if (!canSettle) closed = 0;
      const settled = canSettle ? findOpenFormula(countSettled(blocks)) : 0;
      const grown = canSettle ? readListEnd(blocks, text, findOpenFormula(blocks.length)) : undefined;
      const read = grown ? undefined : lex(text.slice(lengthOf(blocks.slice(0, settled))));
      // In a quotation, too, they count for all of the text.
      const isAnew = read !== undefined && Object.keys(read.links).length > 0;
      if (isAnew) hasDefinition = true;
      const tokens = grown ?? (isAnew && settled > 0 ? lex(text) : (read ?? []));
      let kept = isAnew ? 0 : grown ? blocks.length - 1 : settled;
      let same = 0;
      while (!isAnew && same < tokens.length && tokens[same]?.raw === blocks[kept]?.raw) {
        same++;
        kept++;
      }
      const added = tokens.slice(same);
      const [first] = added;
      // A definition is not in the source of what it changes.
      if (first && !isAnew) added[0] = shareTokens(blocks[kept], first);
      blocks = [...blocks.slice(0, kept), ...added];
      closed = Math.min(closed, kept);
      before = text;
      return { kept, added };
    },
  };
}

/** The blocks from the last one on, where that is a long list and no formula is open. */
function readListEnd(blocks: readonly Token[], text: string, open: number): Token[] | undefined {
  const last = blocks.at(-1);
  if (last?.type !== 'list' || open < blocks.length) return undefined;
  return growList(last, text.slice(lengthOf(blocks.slice(0, -1))), lex);
}

function isOpenFormula({ type, raw }: Token): boolean {
  return type !== 'math' && type !== 'code' && OPENS_FORMULA.test(raw);
}

function countSettled(blocks: readonly Token[]): number {
  const solid = blocks.flatMap(({ type }, index) => (type === 'space' ? [] : [index]));
  return solid.at(-UNSETTLED) ?? 0;
}

function lengthOf(blocks: readonly Token[]): number {
  return blocks.reduce((sum, { raw }) => sum + raw.length, 0);
}

const marked = new Marked({ gfm: true, breaks: false, extensions: [...MATH, ...FOOTNOTES] });

/** The blocks of a text, and the definitions of links in it. */
export function lex(text: string): TokensList {
  return marked.lexer(text);
}
