/** What is wrong with a query, and where. */
export interface SqlProblem {
  readonly message: string;
  /** UTF-16 units from the query's start; undefined where the engine doesn't say. */
  readonly at: number | undefined;
}

/**
 * The problem that the API's error tells, at its place; undefined for errors of another kind. The engine draws the place
 * (`LINE 2: …` and a caret below), or names it: `(line 1, column 14)`.
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
  // Of a long line only a part is drawn; then its text is looked for.
  const cut = text.startsWith('...') ? 3 : 0;
  const lineText = query.split('\n')[Number(line) - 1] ?? '';
  const partAt = cut === 0 ? 0 : lineText.indexOf(text.slice(3).replace(/\.\.\.$/, ''));
  const isFound = partAt >= 0 && (cut > 0 || lineText.startsWith(text.replace(/\.\.\.$/, '').slice(0, column)));
  return {
    message: issue.msg.replace(whole, ''),
    at: isFound ? offsetOf(query, Number(line), partAt + column - cut + 1) : undefined,
  };
}

/** A word to write instead of the one that is wrong. */
export interface Suggestion {
  readonly text: string;
  /** What it replaces, UTF-16 units from the query's start. */
  readonly from: number;
  readonly to: number;
}

const SUGGESTIONS_MOST = 4;

/** What the engine offers instead of a name that it does not know: `Did you mean "x"?`, `Candidate bindings: "x", "y"`. */
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

/** Line and column from 1, as an offset within the query. */
function offsetOf(query: string, line: number, column: number): number {
  const before = query.split('\n').slice(0, line - 1);
  return Math.min(before.reduce((sum, text) => sum + text.length + 1, 0) + column - 1, query.length);
}
