import type { Token, Tokens, TokensList } from 'marked';

/** Items at the end that what is added may change: text joins the last, and what looks like an item may belong to one before. */
const UNSETTLED = 3;
/** A shorter one is read whole as quickly. */
const MIN_ITEMS = 8;

/**
 * The blocks of `text`, which begins with the list and goes on behind it, with only the list's last items read again: a list
 * of 800 items takes 30 ms to read, and grows 20 times a second. Undefined where all of it has to be.
 */
export function growList(list: Token, text: string, lex: (text: string) => TokensList): Token[] | undefined {
  const { items, loose, ordered, start } = list as Tokens.List;
  if (items.length < MIN_ITEMS) return undefined;
  const head = items.slice(0, -UNSETTLED);
  const raw = head.map((item) => item.raw).join('');
  if (!text.startsWith(raw)) return undefined;
  const tokens = lex(text.slice(raw.length));
  const [first, ...rest] = tokens;
  if (first?.type !== 'list' || Object.keys(tokens.links).length > 0) return undefined;
  const end = first as Tokens.List;
  // One blank line between two items makes paragraphs of all.
  if (end.loose !== loose || end.ordered !== ordered) return undefined;
  return [{ ...end, raw: raw + end.raw, start, items: [...head, ...end.items] }, ...rest];
}
