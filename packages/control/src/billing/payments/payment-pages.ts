import type { Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { Plans } from '../plans/plans.ts';
import type { Payments } from './payments.ts';

export interface PaymentPagesOptions {
  readonly db: Kysely<Database>;
  readonly payments: Payments;
  readonly plans: Plans;
  /** The address that the pages return to. */
  readonly returnUrl: string;
}

/** The payment provider's pages for an account. */
export type PaymentPages = ReturnType<typeof createPaymentPages>;

export function createPaymentPages({ db, payments, plans, returnUrl }: PaymentPagesOptions) {
  const find = (account: AccountId) =>
    db.selectFrom('subscriptions').select(['customer', 'status']).where('account_id', '=', account).executeTakeFirst();
  return {
    /** Returns the page to buy `plan`, or to change to it from another paid plan; undefined when it is not sold. */
    async checkout(account: AccountId, plan: string): Promise<string | undefined> {
      const price = Object.hasOwn(plans.prices, plan) ? plans.prices[plan] : undefined;
      if (price === undefined) return undefined;
      const known = await find(account);
      const customer = known?.customer ?? undefined;
      // A second checkout would charge twice.
      if (customer !== undefined && known?.status !== 'canceled') return payments.portal(customer, returnUrl);
      return payments.checkout({ account, price, customer, returnUrl });
    },
    /** Returns the page to manage the subscription; undefined before the first purchase. */
    async portal(account: AccountId): Promise<string | undefined> {
      const customer = (await find(account))?.customer;
      return customer ? payments.portal(customer, returnUrl) : undefined;
    },
  };
}
