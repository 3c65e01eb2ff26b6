/** An account's usage of one SKU on one day, accumulated as it occurs. Rows are never lowered or removed. */
export interface UsageTable {
  readonly account_id: string;
  /** UTC, `YYYY-MM-DD`. */
  readonly day: string;
  /** Name of the deployment, or `volume/<name>`; it may have been deleted since. */
  readonly resource: string;
  readonly sku: string;
  /** ISO 4217. */
  readonly currency: string;
  /** In the SKU's unit. */
  amount: number;
  /** In `currency`, by the price book at the time of use. */
  cost: number;
  updated_at: number;
}

/**
 * State of the subscription to an account's plan (`accounts.plan`); no row for an account unknown to the payment
 * provider.
 */
export interface SubscriptionsTable {
  readonly account_id: string;
  status: 'active' | 'trialing' | 'past_due' | 'canceled';
  /** Null until the provider reports it. */
  period_start: number | null;
  /** Null until the provider reports it. */
  period_end: number | null;
  cancel_at_period_end: number;
  /** The payment provider's id of the customer. */
  customer: string | null;
  /** The payment provider's id of the subscription; null before the first payment. */
  external_id: string | null;
  updated_at: number;
}
