import type { AuditQuery } from '@berth/contract';
import type { HttpCall } from '@berth/ui';
import { parseRange, type Range, rangeMs, toRangeSearch } from '../../components/time-range/time-range.ts';

/** All that decides which lines of the audit log are shown; it is in the address. */
export interface AuditView {
  /** Id of a key or person, `system`, or nothing for anyone. */
  readonly actor: string;
  /** An action, the noun of several, or nothing. */
  readonly action: string;
  /** A part of the target. */
  readonly target: string;
  /** Undefined for any time. */
  readonly range: Range | undefined;
  /** Id of the line that is expanded. */
  readonly entry: string | undefined;
}

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

/** The parameters of a view, without those that leave nothing out. */
export function toAuditSearch({ actor, action, target, range, entry }: AuditView): Record<string, string> {
  return {
    ...(actor !== '' && { actor }),
    ...(action !== '' && { action }),
    ...(target !== '' && { target }),
    ...(range && toRangeSearch(range)),
    ...(entry !== undefined && { entry }),
  };
}

/** Whether anything is left out. */
export function isNarrow({ actor, action, target, range }: AuditView): boolean {
  return actor !== '' || action !== '' || target !== '' || range !== undefined;
}

/** What the API is asked for. A span back from now has no end: what is done meanwhile belongs to it. */
export function toAuditQuery({ actor, action, target, range }: AuditView, nowMs: number): AuditQuery {
  const time = (ms: number) => new Date(ms).toISOString();
  const { fromMs, toMs } = range ? rangeMs(range, nowMs) : { fromMs: 0, toMs: 0 };
  return {
    ...(actor !== '' && { actor }),
    ...(action !== '' && { action }),
    ...(target !== '' && { target }),
    ...(range && { since: time(fromMs) }),
    ...(range && !('last' in range) && { until: time(toMs) }),
  };
}

/** What shows the same with the command line and over HTTP. */
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
