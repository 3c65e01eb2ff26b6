import type { SubscriptionStatus } from '@berth/contract';
import type { AccountId } from '@berth/kit';

/** The payment status of an account, as last reported by the payment provider. */
export interface PaidSubscription {
  readonly account: AccountId;
  readonly status: SubscriptionStatus;
  /** The provider's id of the paid price. */
  readonly price: string;
  /** Epoch milliseconds. */
  readonly periodStartMs: number;
  /** Epoch milliseconds. */
  readonly periodEndMs: number;
  readonly isCancelledAtEnd: boolean;
  readonly customer: string;
  readonly externalId: string;
  /** When the provider reported it, epoch milliseconds; older reports are ignored. */
  readonly toldAtMs: number;
}

/** A payment provider. People pay on its pages, so card data never reaches the platform. */
export interface Payments {
  /** Address of a page where the plan's price is paid for `account`. @throws `unavailable` */
  checkout(order: {
    readonly account: AccountId;
    readonly price: string;
    readonly customer: string | undefined;
    readonly returnUrl: string;
  }): Promise<string>;
  /** Address of a page where the payer changes cards, sees invoices and cancels. @throws `unavailable` */
  portal(customer: string, returnUrl: string): Promise<string>;
  /**
   * Parses an event of the provider; undefined for an irrelevant one.
   * @throws `bad_request` when the signature is not the provider's, or is older than five minutes.
   */
  readEvent(body: string, signature: string): PaidSubscription | undefined;
}
