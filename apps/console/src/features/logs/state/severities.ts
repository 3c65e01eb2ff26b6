import { SEVERITIES, type Severity } from '@berth/contract/severities';

/** Severities grouped as the histogram colors them. */
export type SeverityGroup = 'error' | 'warning' | 'info';

/** The severity groups, most severe first. */
export const SEVERITY_GROUPS: readonly SeverityGroup[] = ['error', 'warning', 'info'];

/** Returns the group of a severity. Unknown severities count as `info`. */
export function groupOf(severity: string): SeverityGroup {
  const rank = SEVERITIES.indexOf(severity as Severity);
  if (rank >= SEVERITIES.indexOf('ERROR')) return 'error';
  return severity === 'WARNING' ? 'warning' : 'info';
}
