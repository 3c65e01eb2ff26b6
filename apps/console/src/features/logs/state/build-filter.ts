import type { LogsView } from './logs-view.ts';

/** Times an entry must lie between, RFC 3339; each bound counts where it is given. */
export interface TimeBounds {
  readonly from?: string | undefined;
  /** Not itself. */
  readonly before?: string | undefined;
  readonly upTo?: string | undefined;
}

/** What stands before a person's filter in {@link buildFilter}; places of errors are told from there. */
const OPENING = '(';

/** The filter of a view, with its severity and times; undefined where every entry fits. */
export function buildFilter(view: Pick<LogsView, 'filter' | 'severity'>, bounds: TimeBounds = {}): string | undefined {
  const terms = [
    // The line ends before the parenthesis, or a comment would take it in.
    view.filter.trim() !== '' && `${OPENING}${view.filter}\n)`,
    view.severity !== 'DEFAULT' && `severity>=${view.severity}`,
    bounds.from !== undefined && `timestamp>="${bounds.from}"`,
    bounds.before !== undefined && `timestamp<"${bounds.before}"`,
    bounds.upTo !== undefined && `timestamp<="${bounds.upTo}"`,
  ].filter((term) => term !== false);
  return terms.length === 0 ? undefined : terms.join(' AND ');
}

/** What is wrong with a filter, and where in it. */
export interface FilterProblem {
  readonly message: string;
  /** UTF-16 units from the filter's start; its length where it ends too early. */
  readonly at: number;
}

/**
 * The problem that the API's error tells, at its place in what the person wrote; undefined for errors of another kind.
 * Columns are counted from 1 (docs/guides/log-filters.md).
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
 * A parenthesis that has no counterpart. Looked for before the filter is sent: there it stands in parentheses, which
 * one of its own could close.
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
