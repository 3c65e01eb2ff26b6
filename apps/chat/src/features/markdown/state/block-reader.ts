import { Marked, type Token, type Tokens, type TokensList } from 'marked';
import { FOOTNOTES } from './footnotes.ts';
import { MATH } from './math.ts';
import { shareTokens } from './share-tokens.ts';

/** An incremental parser of growing Markdown. */
export interface BlockReader {
  /** Parses `text`. Its blocks are the first `kept` blocks of the previous call, followed by `added`. */
  read(text: string): { readonly kept: number; readonly added: readonly Token[] };
}

/**
 * Number of blocks at the end that added text can change: text joins the last block, which may in turn join the blocks
 * before it. In a test with 500,000 random texts, two were too few for one text, and three were enough for all.
 */
const UNSETTLED = 4;

/** Matches the start of a block formula. Its end, however far below, makes everything between part of the formula. */
const OPENS_FORMULA = /(?:^|\n)[\s>]*(?:\$\$|\\\[)/;

/** Creates a reader that parses only the last blocks again when text was appended. */
export function createBlockReader(): BlockReader {
  let blocks: readonly Token[] = [];
  let before = '';
  /** True once the text has a link definition, which can change links above it: the whole text is parsed each time. */
  let hasDefinition = false;
  /** Number of leading blocks that are known to contain no open formula. */
  let closed = 0;

  /** Returns the index of the first block with an open formula, at most `end`. */
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
      // A link definition inside a block quote also applies to the whole text.
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
      // A link definition changes blocks whose source stays the same, so their tokens cannot be shared.
      if (first && !isAnew) added[0] = shareTokens(blocks[kept], first);
      blocks = [...blocks.slice(0, kept), ...added];
      closed = Math.min(closed, kept);
      before = text;
      return { kept, added };
    },
  };
}

/** Parses the text from the last block on if that is a long list and no formula is open; otherwise undefined. */
function readListEnd(blocks: readonly Token[], text: string, open: number): Token[] | undefined {
  const last = blocks.at(-1);
  if (last?.type !== 'list' || open < blocks.length) return undefined;
  return growList(last, text.slice(lengthOf(blocks.slice(0, -1))));
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

/** Parses Markdown to blocks; the result's `links` has its link definitions. */
export function lex(text: string): TokensList {
  return marked.lexer(text);
}

/** Number of items at the end that added text can change: text joins the last item, which may itself join an earlier one. */
const UNSETTLED_ITEMS = 3;
/** Minimum length of a list to parse incrementally; parsing a shorter one as a whole is as fast. */
const MIN_ITEMS = 8;

/**
 * Parses `text`, which starts with the list, and parses only the list's last items again: a list of 800 items takes 30 ms to
 * parse and grows 20 times a second. Returns undefined when the whole list must be parsed.
 */
function growList(list: Token, text: string): Token[] | undefined {
  const { items, loose, ordered, start } = list as Tokens.List;
  if (items.length < MIN_ITEMS) return undefined;
  const head = items.slice(0, -UNSETTLED_ITEMS);
  const raw = head.map((item) => item.raw).join('');
  if (!text.startsWith(raw)) return undefined;
  const tokens = lex(text.slice(raw.length));
  const [first, ...rest] = tokens;
  if (first?.type !== 'list' || Object.keys(tokens.links).length > 0) return undefined;
  const end = first as Tokens.List;
  // One blank line between two items turns the text of all items into paragraphs.
  if (end.loose !== loose || end.ordered !== ordered) return undefined;
  return [{ ...end, raw: raw + end.raw, start, items: [...head, ...end.items] }, ...rest];
}
