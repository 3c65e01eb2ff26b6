import type { Severity } from '@berth/contract';

/**
 * Severities from least to most severe. Equal to `SEVERITIES` of the contract, whose module would add its schemas to
 * the bundle.
 */
export const SEVERITY_ORDER = [
  'DEFAULT',
  'DEBUG',
  'INFO',
  'NOTICE',
  'WARNING',
  'ERROR',
  'CRITICAL',
  'ALERT',
  'EMERGENCY',
] as const satisfies readonly Severity[];

/** Severities grouped as the histogram colors them. */
export type SeverityGroup = 'error' | 'warning' | 'info';

/** The severity groups, most severe first. */
export const SEVERITY_GROUPS: readonly SeverityGroup[] = ['error', 'warning', 'info'];

/** Returns the group of a severity. Unknown severities count as `info`. */
export function groupOf(severity: string): SeverityGroup {
  const rank = SEVERITY_ORDER.indexOf(severity as Severity);
  if (rank >= SEVERITY_ORDER.indexOf('ERROR')) return 'error';
  return severity === 'WARNING' ? 'warning' : 'info';
}
