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

/** The plan an account is on; without a row, the operator's default plan. */
export interface SubscriptionsTable {
  readonly account_id: string;
  plan: string;
  status: 'active' | 'trialing' | 'past_due' | 'canceled';
  /** Epoch milliseconds, wall clock; null: the calendar month, UTC. */
  period_start: number | null;
  /** Epoch milliseconds, wall clock; null: the calendar month, UTC. */
  period_end: number | null;
  cancel_at_period_end: number;
  /** The payment provider's name of the payer; null when the operator set the plan. */
  customer: string | null;
  /** The payment provider's name of the subscription; null when the operator set the plan. */
  external_id: string | null;
  /** Epoch milliseconds, wall clock. */
  updated_at: number;
}

/** Tables of metering and plans. */
export interface BillingSchema {
  usage: UsageTable;
  subscriptions: SubscriptionsTable;
}
