import type { SubscriptionStatus } from '@berth/contract';
import type { AccountId } from '@berth/kit';

/** How far an account has paid, as the payment provider last said. */
export interface PaidSubscription {
  readonly account: AccountId;
  readonly status: SubscriptionStatus;
  /** The provider's name of the price that is paid. */
  readonly price: string;
  /** Epoch milliseconds. */
  readonly periodStartMs: number;
  /** Epoch milliseconds. */
  readonly periodEndMs: number;
  readonly isCancelledAtEnd: boolean;
  readonly customer: string;
  readonly externalId: string;
  /** When the provider said so, epoch milliseconds; what is older than what is known is passed over. */
  readonly toldAtMs: number;
}

/** Who takes the money. Card data never comes near the platform: people pay on the provider's pages. */
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
   * Reads what the provider sent; undefined for what is of no interest here.
   * @throws `bad_request` when the signature is not the provider's, or is older than five minutes.
   */
  readEvent(body: string, signature: string): PaidSubscription | undefined;
}
