import type { LogsView } from './logs-view.ts';

/** Time bounds of a filter in RFC 3339. Each is optional. */
export interface TimeBounds {
  readonly from?: string | undefined;
  /** Exclusive. */
  readonly before?: string | undefined;
  readonly upTo?: string | undefined;
}

/** Text before the person's filter in {@link buildFilter}; error positions are shifted by its length. */
const OPENING = '(';

/** Returns the view's filter combined with its severity and times; undefined if every entry matches. */
export function buildFilter(view: Pick<LogsView, 'filter' | 'severity'>, bounds: TimeBounds = {}): string | undefined {
  const terms = [
    // The newline before the parenthesis ends a trailing comment.
    view.filter.trim() !== '' && `${OPENING}${view.filter}\n)`,
    view.severity !== 'DEFAULT' && `severity>=${view.severity}`,
    bounds.from !== undefined && `timestamp>="${bounds.from}"`,
    bounds.before !== undefined && `timestamp<"${bounds.before}"`,
    bounds.upTo !== undefined && `timestamp<="${bounds.upTo}"`,
  ].filter((term) => term !== false);
  return terms.length === 0 ? undefined : terms.join(' AND ');
}

/** An error in a filter, with its position. */
export interface FilterProblem {
  readonly message: string;
  /** UTF-16 units from the filter's start; the filter's length if it ends too early. */
  readonly at: number;
}

/**
 * Returns the filter error in an API error, with its position in the person's text; undefined for errors of another
 * kind. Columns are counted from 1 (docs/guides/log-filters.md).
 */
export function readFilterProblem(error: unknown, filter: string): FilterProblem | undefined {
  const details = (error as { details?: { issues?: readonly { loc: readonly unknown[]; msg: string }[] } } | undefined)
    ?.details;
  const issue = details?.issues?.find(({ loc }) => loc.at(-1) === 'query');
  if (!issue) return undefined;
  const column = Number(/at column (\d+)/.exec(issue.msg)?.[1] ?? Number.NaN);
  if (Number.isNaN(column)) return { message: issue.msg, at: filter.length };
  const at = Math.min(Math.max(column - 1 - OPENING.length, 0), filter.length);
  const message = issue.msg
    .replace(/,? at column \d+/, '')
    .replace(/found "\)"$/, at >= filter.length ? 'found the end of the filter' : 'found ")"');
  return { message, at };
}

/**
 * Returns the first unclosed quote or unbalanced parenthesis; undefined if there is none. Checked before the filter is
 * sent, because an extra parenthesis could close those that {@link buildFilter} adds.
 */
export function findUnbalanced(filter: string): FilterProblem | undefined {
  const open: number[] = [];
  for (const { 0: token, index } of filter.matchAll(/"(?:[^"\\]|\\[\s\S])*"?|--[^\n]*|[()]/g)) {
    if (token.startsWith('"') && !/^"(?:[^"\\]|\\[\s\S])*"$/.test(token))
      return { message: 'the quoted text is not closed: expected a "', at: index };
    if (token === '(') open.push(index);
    if (token === ')' && open.pop() === undefined) return { message: 'this parenthesis closes nothing', at: index };
  }
  const at = open.at(-1);
  return at === undefined ? undefined : { message: 'this parenthesis is not closed', at };
}
