import { z } from '@hono/zod-openapi';

/** The limits of a plan. Errors name the limit that was reached. Source: docs/contract/control-plane.md §8. */
export const planLimitsSchema = z
  .object({
    deployments: z.number().int().openapi({ description: 'Maximum deployments' }),
    volumes: z.number().int().openapi({ description: 'Maximum volumes' }),
    max_instances: z.number().int().openapi({ description: 'Highest max_instances of one deployment' }),
    memory: z.string().openapi({ description: 'Highest memory of one deployment', example: '32Gi' }),
    storage_bytes: z.number().int().openapi({ description: 'Bytes of all volumes together' }),
    log_retention_days: z.number().int().openapi({ description: 'Log retention in days' }),
  })
  .openapi('PlanLimits');

export type PlanLimits = z.infer<typeof planLimitsSchema>;

/** The usage since the start of the billing period. */
export const periodUsageSchema = z
  .object({
    cpu_seconds: z.number().openapi({ description: 'Seconds of one vCPU, while instances start and serve' }),
    memory_gib_seconds: z.number().openapi({ description: 'Seconds of one GiB, while instances start and serve' }),
    requests: z.number(),
    egress_bytes: z.number().openapi({ description: 'Bytes of answers sent' }),
    storage_gib_months: z.number().openapi({ description: 'A GiB kept for 730 hours is one' }),
    build_seconds: z.number(),
    cost: z.number().openapi({ description: "In the subscription's currency, by the operator's price book" }),
  })
  .openapi('PeriodUsage');

export type PeriodUsage = z.infer<typeof periodUsageSchema>;

/** The statuses of a subscription. */
export const SUBSCRIPTION_STATUSES = ['active', 'trialing', 'past_due', 'canceled'] as const;

export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/** Response of `GET /v1/user/subscription`. */
export const subscriptionSchema = z
  .object({
    plan: z.string(),
    status: z.enum(SUBSCRIPTION_STATUSES),
    currency: z.string().openapi({ description: 'ISO 4217', example: 'USD' }),
    current_period_start: z.iso.datetime(),
    current_period_end: z.iso.datetime().openapi({ description: 'By default the start of the next period' }),
    cancel_at_period_end: z.boolean(),
    limits: planLimitsSchema,
    usage: periodUsageSchema,
  })
  .openapi('Subscription');

export type Subscription = z.infer<typeof subscriptionSchema>;

/** A row of `GET /v1/user/plans`. */
export const planSchema = z
  .object({
    name: z.string(),
    limits: planLimitsSchema,
    is_current: z.boolean().openapi({ description: 'Whether the account has this plan' }),
    is_sold: z.boolean().openapi({ description: 'Whether `POST /v1/user/subscription/checkout` can buy it' }),
  })
  .openapi('Plan');

export type Plan = z.infer<typeof planSchema>;
