import type { Severity } from '@berth/contract';
import { isTime, parseRange, type Range, type Span, toRangeSearch } from '../../../components/time-range/time-range.ts';
import { SEVERITY_ORDER } from './severities.ts';

/** All that decides what the page of logs shows. It is in the address, so that a link leads to exactly this. */
export interface LogsView {
  readonly deployment: string;
  /** In the language of docs/guides/log-filters.md. */
  readonly filter: string;
  readonly range: Range;
  /** Only entries of this severity or above. */
  readonly severity: Severity;
  /** Timestamp, and so the cursor, of the entry that is expanded. */
  readonly entry: string | undefined;
  readonly isLive: boolean;
}

const DEFAULT_SPAN: Span = '1h';

/** The view that the parameters of an address tell; what they don't, or can't be, is the usual. */
export function parseLogsView(search: Readonly<Record<string, unknown>>): LogsView {
  const text = (name: string) => (search[name] === undefined ? '' : String(search[name]));
  const range = parseRange(text('range'), text('from'), text('to')) ?? { last: DEFAULT_SPAN };
  return {
    deployment: text('deployment'),
    filter: text('filter'),
    range,
    severity: SEVERITY_ORDER.find((one) => one === text('severity')) ?? 'DEFAULT',
    entry: isTime(text('entry')) ? text('entry') : undefined,
    isLive: text('live') === 'on' && 'last' in range,
  };
}

/** The parameters of a view, without those that are the usual. */
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
