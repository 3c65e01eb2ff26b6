/** An error in a query, with its position. */
export interface SqlProblem {
  readonly message: string;
  /** UTF-16 units from the query's start; undefined if the engine gives no position. */
  readonly at: number | undefined;
}

/**
 * Returns the query error in an API error, with its position; undefined for errors of another kind. The engine gives
 * the position as a drawing (`LINE 2: …` and a caret below) or in words: `(line 1, column 14)`.
 */
export function readSqlProblem(error: unknown, query: string): SqlProblem | undefined {
  const details = (error as { details?: { issues?: readonly { loc: readonly unknown[]; msg: string }[] } } | undefined)
    ?.details;
  const issue = details?.issues?.find(({ loc }) => loc.at(-1) === 'query');
  if (!issue) return undefined;
  const named = / \(line (\d+), column (\d+)\)/.exec(issue.msg);
  if (named) {
    return { message: issue.msg.replace(named[0], ''), at: offsetOf(query, Number(named[1]), Number(named[2])) };
  }
  const drawn = /\n\nLINE (\d+): ([^\n]*)\n( *)\^[\s\S]*$/.exec(issue.msg);
  if (!drawn) return { message: issue.msg, at: undefined };
  const [whole, line = '', text = '', indent = ''] = drawn;
  const column = indent.length - `LINE ${line}: `.length;
  // The engine draws only a part of a long line; that part is then searched in the query.
  const cut = text.startsWith('...') ? 3 : 0;
  const lineText = query.split('\n')[Number(line) - 1] ?? '';
  const partAt = cut === 0 ? 0 : lineText.indexOf(text.slice(3).replace(/\.\.\.$/, ''));
  const isFound = partAt >= 0 && (cut > 0 || lineText.startsWith(text.replace(/\.\.\.$/, '').slice(0, column)));
  return {
    message: issue.msg.replace(whole, ''),
    at: isFound ? offsetOf(query, Number(line), partAt + column - cut + 1) : undefined,
  };
}

/** A replacement for the word at fault. */
export interface Suggestion {
  readonly text: string;
  /** Start of the replaced word, UTF-16 units from the query's start. */
  readonly from: number;
  readonly to: number;
}

const SUGGESTIONS_MOST = 4;

/** Returns the engine's suggestions for an unknown name: `Did you mean "x"?`, `Candidate bindings: "x", "y"`. */
export function readSuggestions({ message, at }: SqlProblem, query: string): readonly Suggestion[] {
  if (at === undefined) return [];
  const [word = ''] = /^[\w.]+/.exec(query.slice(at)) ?? [];
  if (word === '') return [];
  const [, offered = ''] =
    /(?:did you mean|candidate (?:bindings|functions|entries)):?\s([\s\S]*)/i.exec(message) ?? [];
  const names = [...offered.matchAll(/"([\w.]+)"/g)].map(([, name = '']) => name);
  return [...new Set(names)]
    .filter((name) => name !== word)
    .slice(0, SUGGESTIONS_MOST)
    .map((text) => ({ text, from: at, to: at + word.length }));
}

/** Returns the offset in the query of a line and a column, both counted from 1. */
function offsetOf(query: string, line: number, column: number): number {
  const before = query.split('\n').slice(0, line - 1);
  return Math.min(before.reduce((sum, text) => sum + text.length + 1, 0) + column - 1, query.length);
}
