import type { Token, Tokens, TokensList } from 'marked';

/** Number of items at the end that added text can change: text joins the last item, which may itself join an earlier one. */
const UNSETTLED = 3;
/** Minimum length of a list to parse incrementally; parsing a shorter one as a whole is as fast. */
const MIN_ITEMS = 8;

/**
 * Parses `text`, which starts with the list, and parses only the list's last items again: a list of 800 items takes 30 ms to
 * parse and grows 20 times a second. Returns undefined when the whole list must be parsed.
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
  // One blank line between two items turns the text of all items into paragraphs.
  if (end.loose !== loose || end.ordered !== ordered) return undefined;
  return [{ ...end, raw: raw + end.raw, start, items: [...head, ...end.items] }, ...rest];
}
