/** What an account used of one SKU on one day, added up while it is used; rows are never lowered or removed. */
export interface UsageTable {
  readonly account_id: string;
  /** UTC, `YYYY-MM-DD`. */
  readonly day: string;
  /** Name of the deployment, or `volume/<name>`; it may be gone since. */
  readonly resource: string;
  readonly sku: string;
  /** ISO 4217. */
  readonly currency: string;
  /** In the SKU's unit. */
  amount: number;
  /** In `currency`, by the price book of the moment it was used. */
  cost: number;
  /** Epoch milliseconds, wall clock. */
  updated_at: number;
}

/** How far an account has paid for its plan (`accounts.plan`); no row for an account that no payment provider knows. */
export interface SubscriptionsTable {
  readonly account_id: string;
  status: 'active' | 'trialing' | 'past_due' | 'canceled';
  /** Epoch milliseconds, wall clock; null until the provider said so. */
  period_start: number | null;
  /** Epoch milliseconds, wall clock; null until the provider said so. */
  period_end: number | null;
  cancel_at_period_end: number;
  /** The payment provider's name of the payer. */
  customer: string | null;
  /** The payment provider's name of the subscription; null before the first payment. */
  external_id: string | null;
  /** Epoch milliseconds, wall clock. */
  updated_at: number;
}

/** Tables of metering and plans. */
export interface BillingSchema {
  usage: UsageTable;
  subscriptions: SubscriptionsTable;
}
