import { z } from '@hono/zod-openapi';

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

/** The severity of a log entry. */
export const severitySchema = z.enum(SEVERITIES);

export type Severity = (typeof SEVERITIES)[number];
