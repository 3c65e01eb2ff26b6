import { defineOperation } from '@berth/accounts';
import { planSchema } from '@berth/contract';
import type { Database } from '@berth/database';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { Kysely } from 'kysely';
import type { Entitlements } from '../plans/entitlements.ts';
import type { Plans } from '../plans/plans.ts';

/** Dependencies of {@link registerListPlans}. */
export interface ListPlansDeps {
  readonly db: Kysely<Database>;
  readonly plans: Plans;
  readonly entitlements: Pick<Entitlements, 'planOf'>;
  /** Whether there is a payment provider. */
  readonly hasPayments: boolean;
}

/** Registers `GET /v1/user/plans`. */
export const registerListPlans = defineOperation(
  'GET /v1/user/plans',
  {
    scope: 'billing',
    operationId: 'listPlans',
    tags: ['Billing'],
    summary: "List the operator's plans and their limits, in file order",
    responses: { 200: jsonResponse(z.array(planSchema), 'The plans, including the default plan') },
  },
  async (c, { db, plans, entitlements, hasPayments }: ListPlansDeps) => {
    const current = await entitlements.planOf(db, c.get('principal').accountId);
    const rows = Object.entries(plans.limits).map(([name, limits]) => ({
      name,
      limits,
      is_current: name === current.name,
      is_sold: hasPayments && Object.hasOwn(plans.prices, name),
    }));
    return c.json(rows, 200);
  },
);
