import type { AuditQuery } from '@berth/contract';
import type { HttpCall } from '@berth/ui';
import { parseRange, type Range, rangeMs, toRangeSearch } from '../../components/time-range/time-range.ts';

/** Filters and selection of the audit page. They are kept in the address. */
export interface AuditView {
  /** ID of a key or person, `system`, or `''` for anyone. */
  readonly actor: string;
  /** An action, a noun that stands for all its actions, or `''` for any. */
  readonly action: string;
  /** A substring of the target. */
  readonly target: string;
  /** Undefined for any time. */
  readonly range: Range | undefined;
  /** ID of the expanded entry. */
  readonly entry: string | undefined;
}

/** Returns the view in an address's parameters; missing or invalid ones get their defaults. */
export function parseAuditView(search: Readonly<Record<string, unknown>>): AuditView {
  const text = (name: string) => (search[name] === undefined ? '' : String(search[name]));
  return {
    actor: text('actor'),
    action: text('action'),
    target: text('target'),
    range: parseRange(text('range'), text('from'), text('to')),
    entry: text('entry') || undefined,
  };
}

/** Returns the address parameters of a view, without defaults. */
export function toAuditSearch({ actor, action, target, range, entry }: AuditView): Record<string, string> {
  return {
    ...named({ actor, action, target }),
    ...(range && toRangeSearch(range)),
    ...(entry !== undefined && { entry }),
  };
}

/** Returns the filters that are set. */
function named(filters: Pick<AuditView, 'actor' | 'action' | 'target'>): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''));
}

/** Returns whether any filter is set. */
export function isNarrow({ actor, action, target, range }: AuditView): boolean {
  return actor !== '' || action !== '' || target !== '' || range !== undefined;
}

/** Returns the query for the API. A range relative to now has no end, so that new entries are included. */
export function toAuditQuery({ actor, action, target, range }: AuditView, nowMs: number): AuditQuery {
  const time = (ms: number) => new Date(ms).toISOString();
  const { fromMs, toMs } = range ? rangeMs(range, nowMs) : { fromMs: 0, toMs: 0 };
  return {
    ...named({ actor, action, target }),
    ...(range && { since: time(fromMs) }),
    ...(range && !('last' in range) && { until: time(toMs) }),
  };
}

/** Returns the equivalent CLI command and HTTP call. `quote` quotes a word for the shell. */
export function toAuditCommands(
  view: AuditView,
  nowMs: number,
  quote: (text: string) => string,
): { readonly cli: string; readonly http: HttpCall } {
  const query = toAuditQuery(view, nowMs);
  const words = ['npx berth audit'];
  for (const name of ['actor', 'action', 'target'] as const) {
    if (view[name] !== '') words.push(`--${name} ${quote(view[name])}`);
  }
  if (view.range)
    words.push('last' in view.range ? `--since ${view.range.last}` : `--since ${query.since} --until ${query.until}`);
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const path = parameters.size === 0 ? '/v1/user/audit' : `/v1/user/audit?${parameters}`;
  return { cli: words.join(' '), http: { method: 'GET', path } };
}
