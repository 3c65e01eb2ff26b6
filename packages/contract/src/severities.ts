/** Log levels from least to most severe. Source: docs/contract/control-plane.md §6. */
export const SEVERITIES = [
  'DEFAULT',
  'DEBUG',
  'INFO',
  'NOTICE',
  'WARNING',
  'ERROR',
  'CRITICAL',
  'ALERT',
  'EMERGENCY',
] as const;

export type Severity = (typeof SEVERITIES)[number];
