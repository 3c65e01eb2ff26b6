/** Matches quoted text and comments, whose parentheses are ignored, or a single parenthesis. */
const TOKENS = /"(?:[^"\\]|\\[\s\S]?)*"?|--[^\n]*|[()]/g;

/**
 * Returns the column, from 1, of the first unmatched `)` of a log filter, else of the last unmatched `(`; undefined when
 * all parentheses are balanced.
 */
export function unbalancedParenthesis(query: string): number | undefined {
  const open: number[] = [];
  for (const match of query.matchAll(TOKENS)) {
    const column = match.index + 1;
    if (match[0] === '(') open.push(column);
    else if (match[0] === ')' && open.pop() === undefined) return column;
  }
  return open.at(-1);
}
