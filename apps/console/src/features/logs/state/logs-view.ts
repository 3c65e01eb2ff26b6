import type { Severity } from '@berth/contract';
import { SEVERITIES } from '@berth/contract/severities';
import { isTime, parseRange, type Range, type Span, toRangeSearch } from '../../../components/time-range/time-range.ts';

/** State of the logs page. It is kept in the address, so that a link shows exactly the same. */
export interface LogsView {
  readonly deployment: string;
  /** Filter in the language of docs/guides/log-filters.md. */
  readonly filter: string;
  readonly range: Range;
  /** Minimum severity. */
  readonly severity: Severity;
  /** Timestamp of the expanded entry, which is also its cursor. */
  readonly entry: string | undefined;
  readonly isLive: boolean;
}

const DEFAULT_SPAN: Span = '1h';

/** Returns the view in an address's parameters; missing or invalid ones get their defaults. */
export function parseLogsView(search: Readonly<Record<string, unknown>>): LogsView {
  const text = (name: string) => (search[name] === undefined ? '' : String(search[name]));
  const range = parseRange(text('range'), text('from'), text('to')) ?? { last: DEFAULT_SPAN };
  return {
    deployment: text('deployment'),
    filter: text('filter'),
    range,
    severity: SEVERITIES.find((one) => one === text('severity')) ?? 'DEFAULT',
    entry: isTime(text('entry')) ? text('entry') : undefined,
    isLive: text('live') === 'on' && 'last' in range,
  };
}

/** Returns the address parameters of a view, without defaults. */
export function toLogsSearch(view: LogsView): Record<string, string> {
  return {
    ...(view.deployment !== '' && { deployment: view.deployment }),
    ...(view.filter !== '' && { filter: view.filter }),
    ...(!('last' in view.range && view.range.last === DEFAULT_SPAN) && toRangeSearch(view.range)),
    ...(view.severity !== 'DEFAULT' && { severity: view.severity }),
    ...(view.entry !== undefined && { entry: view.entry }),
    ...(view.isLive && { live: 'on' }),
  };
}
