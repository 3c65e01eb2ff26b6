import { type AuditLog, SYSTEM_SOURCE } from '@berth/accounts';
import type { Database } from '@berth/database';
import type { Kysely } from 'kysely';
import type { Plans } from '../plans/plans.ts';
import type { PaidSubscription } from './payments.ts';

/**
 * Records an event of the payment provider and sets the account's plan to the paid one, or back to the default
 * one, atomically. A repeated event, or an older one that arrives late, changes nothing.
 * @returns false when there is no such account.
 */
export async function applyPayment(
  db: Kysely<Database>,
  audit: Pick<AuditLog, 'record'>,
  plans: Plans,
  paid: PaidSubscription,
): Promise<boolean> {
  const bought = Object.keys(plans.prices).find((name) => plans.prices[name] === paid.price);
  const plan = paid.status === 'canceled' || bought === undefined ? plans.defaultPlan : bought;
  return db.transaction().execute(async (transaction) => {
    const account = await transaction
      .selectFrom('accounts')
      .select('plan')
      .where('id', '=', paid.account)
      .executeTakeFirst();
    if (!account) return false;
    const known = await transaction
      .selectFrom('subscriptions')
      .select('updated_at')
      .where('account_id', '=', paid.account)
      .executeTakeFirst();
    if (known && Number(known.updated_at) > paid.toldAtMs) return true;
    const row = {
      status: paid.status,
      period_start: paid.periodStartMs,
      period_end: paid.periodEndMs,
      cancel_at_period_end: paid.isCancelledAtEnd ? 1 : 0,
      customer: paid.customer,
      external_id: paid.externalId,
      updated_at: paid.toldAtMs,
    };
    await transaction
      .insertInto('subscriptions')
      .values({ account_id: paid.account, ...row })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet(row))
      .execute();
    if (account.plan === plan) return true;
    await transaction.updateTable('accounts').set({ plan }).where('id', '=', paid.account).execute();
    const details = { plan, status: paid.status };
    await audit.record(
      { ...SYSTEM_SOURCE, accountId: paid.account, action: 'account.plan', target: paid.account, details },
      transaction,
    );
    return true;
  });
}
