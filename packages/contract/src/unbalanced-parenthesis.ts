/** Quoted text and comments, in which parentheses count for nothing, or one parenthesis. */
const TOKENS = /"(?:[^"\\]|\\[\s\S]?)*"?|--[^\n]*|[()]/g;

/**
 * The column, from 1, of the first `)` of a log filter that closes nothing, else of the last `(` that stays open;
 * undefined when each has its counterpart.
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
