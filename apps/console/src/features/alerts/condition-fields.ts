import type { AlertCondition } from '@berth/contract';

/** The types of conditions, in the order of the dialog. */
export const CONDITION_TYPES = [
  'error_rate',
  'crash_loop',
  'latency_p95',
  'deploy_failed',
  'certificate_expiring',
  'budget',
  'storage',
] as const satisfies readonly AlertCondition['type'][];

export type ConditionType = (typeof CONDITION_TYPES)[number];

/** The limit that each type of condition needs, with a first value. */
export const CONDITION_LIMITS: Readonly<
  Record<ConditionType, { readonly field: LimitField; readonly first: string } | undefined>
> = {
  error_rate: { field: 'percent', first: '5' },
  crash_loop: { field: 'crashes', first: '3' },
  latency_p95: { field: 'milliseconds', first: '1000' },
  deploy_failed: undefined,
  certificate_expiring: { field: 'days', first: '14' },
  budget: { field: 'amount', first: '50' },
  storage: { field: 'percent', first: '90' },
};

/** The name of a limit in the API, and of its option in the CLI. */
export type LimitField = 'percent' | 'crashes' | 'milliseconds' | 'days' | 'amount';

/** Returns a condition as the API takes it, with the API's defaults for the rest. */
export function toCondition(type: ConditionType, limit: string): AlertCondition {
  const own = CONDITION_LIMITS[type];
  return { type, ...(own && { [own.field]: Number(limit) }) } as AlertCondition;
}

/** Returns the limit of a condition as its text shows it. */
export function limitOf(condition: AlertCondition): number {
  const own = CONDITION_LIMITS[condition.type];
  return own ? Number((condition as Readonly<Record<string, unknown>>)[own.field]) : 0;
}
