import { auditSource, defineOperation, toAccount } from '@berth/accounts';
import { accountSchema, createError, createValidationError } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { AccountId } from '@berth/kit';
import { z } from '@hono/zod-openapi';
import type { ControlContext } from '../../context/control-context.ts';
import type { Plans } from '../plans/plans.ts';

const requestSchema = z
  .object({ account: z.string().openapi({ description: 'Name of the account' }), plan: z.string() })
  .openapi('SetPlanRequest');

/** Dependencies of {@link registerSetPlan}. */
export interface SetPlanDeps extends Pick<ControlContext, 'db' | 'audit'> {
  readonly plans: Plans;
}

/** Registers `POST /v1/admin/accounts/plan`. */
export const registerSetPlan = defineOperation(
  'POST /v1/admin/accounts/plan',
  {
    scope: 'admin',
    isOperatorOnly: true,
    errors: ['not_found'],
    operationId: 'setPlan',
    tags: ['Admin'],
    summary: 'Assign a plan to an account',
    request: { body: jsonBody(requestSchema) },
    responses: { 200: jsonResponse(accountSchema, 'The account') },
  },
  async (c, { db, audit, plans }: SetPlanDeps) => {
    const { account: name, plan } = c.req.valid('json');
    if (!Object.hasOwn(plans.limits, plan)) {
      const msg = `is not one of the plans: ${Object.keys(plans.limits).join(', ')}`;
      throw createValidationError([{ loc: ['body', 'plan'], msg, type: 'plan_unknown' }]);
    }
    const account = await db.transaction().execute(async (transaction) => {
      const row = await transaction.selectFrom('accounts').selectAll().where('name', '=', name).executeTakeFirst();
      if (!row) throw createError('not_found', `No account is named ${JSON.stringify(name.slice(0, 100))}.`);
      await transaction.updateTable('accounts').set({ plan }).where('id', '=', row.id).execute();
      await audit.record(
        {
          ...auditSource(c),
          accountId: row.id as AccountId,
          action: 'account.plan',
          target: row.id,
          details: { plan },
        },
        transaction,
      );
      return { ...row, plan };
    });
    return c.json(toAccount(account), 200);
  },
);
