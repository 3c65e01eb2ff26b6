import { type PlanLimits, parseMemory, SETTINGS } from '@berth/contract';
import { z } from 'zod';

/** The plans of the operator's file. */
export interface Plans {
  /** The plan of accounts that have none of these. */
  readonly defaultPlan: string;
  readonly limits: Readonly<Record<string, PlanLimits>>;
  /** The payment provider's price id of each plan; plans that are not sold are absent. */
  readonly prices: Readonly<Record<string, string>>;
}

/** A plan and its limits. */
export interface Plan {
  readonly name: string;
  readonly limits: PlanLimits;
}

/** Without a file only the platform's own bounds apply. They are numbers, so that clients need no special case. */
const UNBOUNDED: PlanLimits = {
  deployments: 100_000,
  volumes: 100_000,
  max_instances: SETTINGS.max_instances.max,
  memory: '32Gi',
  storage_bytes: 2 ** 50,
  log_retention_days: 30,
};

const count = z.number().int().nonnegative();

const limitsSchema = z.strictObject({
  deployments: count.optional(),
  volumes: count.optional(),
  max_instances: count.min(1).max(SETTINGS.max_instances.max).optional(),
  memory: z
    .string()
    .refine((text) => parseMemory(text) !== undefined, 'must be a size such as 4Gi')
    .optional(),
  storage_bytes: count.optional(),
  log_retention_days: count.min(1).max(3_650).optional(),
  stripe_price: z.string().min(1).optional(),
});

const plansSchema = z
  .strictObject({
    default: z.string().min(1),
    plans: z.record(
      z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'a plan name must contain only a-z, 0-9 and "-"'),
      limitsSchema,
    ),
  })
  .refine((value) => value.default in value.plans, { path: ['default'], message: 'is not one of the plans' });

/** The plans without a file: one plan, bounded by the platform alone. */
export function selfHostedPlans(logRetentionDays: number): Plans {
  return {
    defaultPlan: 'self-hosted',
    limits: { 'self-hosted': { ...UNBOUNDED, log_retention_days: logRetentionDays } },
    prices: {},
  };
}

/**
 * Parses `{"default": "team", "plans": {"team": {"deployments": 20, "memory": "4Gi"}}}`. A missing limit defaults to the
 * platform's bound. `"stripe_price"` makes a plan purchasable.
 * @throws Error with a sentence for each fault.
 */
export function parsePlans(text: string, logRetentionDays: number): Plans {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new Error(`the plans are not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const result = plansSchema.safeParse(json);
  if (!result.success) {
    throw new Error(
      result.error.issues.map((issue) => `${issue.path.join('.') || 'plans'}: ${issue.message}`).join('; '),
    );
  }
  const base = { ...UNBOUNDED, log_retention_days: logRetentionDays };
  const limits: Record<string, PlanLimits> = {};
  const prices: Record<string, string> = {};
  for (const [name, { stripe_price: price, ...given }] of Object.entries(result.data.plans)) {
    if (price !== undefined) prices[name] = price;
    limits[name] = { ...base, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
  }
  return { defaultPlan: result.data.default, limits, prices };
}

/** Returns the plan that an account's row names. */
export function planOf({ defaultPlan, limits }: Plans, name: string): Plan {
  const own = limits[name];
  if (own) return { name, limits: own };
  const fallback = limits[defaultPlan];
  if (!fallback) throw new Error('the default plan is not one of the plans');
  return { name: defaultPlan, limits: fallback };
}
