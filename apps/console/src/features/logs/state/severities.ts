import type { Severity } from '@berth/contract';

/** From least to most severe. The same as `SEVERITIES` of the contract, which brings its schemas with it. */
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

/** What a person tells apart at a glance. */
export type SeverityGroup = 'error' | 'warning' | 'info';

export const SEVERITY_GROUPS: readonly SeverityGroup[] = ['error', 'warning', 'info'];

export function groupOf(severity: string): SeverityGroup {
  const rank = SEVERITY_ORDER.indexOf(severity as Severity);
  if (rank >= SEVERITY_ORDER.indexOf('ERROR')) return 'error';
  return severity === 'WARNING' ? 'warning' : 'info';
}
