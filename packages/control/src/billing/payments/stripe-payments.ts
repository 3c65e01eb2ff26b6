import { createError, type SubscriptionStatus } from '@berth/contract';
import type { AccountId } from '@berth/kit';
import type { Stripe as StripeClient } from 'stripe';
import type { PaidSubscription, Payments } from './payments.ts';

export interface StripeOptions {
  /** Secret key of the API. */
  readonly apiKey: string;
  /** Secret of the webhook's signatures. */
  readonly webhookSecret: string;
  /** Base URL of the API; Stripe's own when absent. */
  readonly apiUrl?: string | undefined;
}

/** Stripe's subscription states as the platform's; any other state gives no service. */
const STATUSES: Readonly<Record<string, SubscriptionStatus>> = {
  active: 'active',
  trialing: 'trialing',
  past_due: 'past_due',
};

/** Creates payments through Stripe. Its library is loaded here, so that platforms without payments don't load it. */
export async function createStripePayments({ apiKey, webhookSecret, apiUrl }: StripeOptions): Promise<Payments> {
  const { default: Stripe } = await import('stripe');
  const stripe = new Stripe(apiKey, { telemetry: false, maxNetworkRetries: 2, timeout: 20_000, ...hostOf(apiUrl) });
  return {
    checkout: ({ account, price, customer, returnUrl }) =>
      asking(async () => {
        const metadata = { account_id: account };
        const session = await stripe.checkout.sessions.create({
          mode: 'subscription',
          line_items: [{ price, quantity: 1 }],
          client_reference_id: account,
          metadata,
          // Set on the subscription too, since every later event refers to it.
          subscription_data: { metadata },
          success_url: returnUrl,
          cancel_url: returnUrl,
          ...(customer === undefined ? {} : { customer }),
        });
        return session.url;
      }),
    portal: (customer, returnUrl) =>
      asking(async () => (await stripe.billingPortal.sessions.create({ customer, return_url: returnUrl })).url),
    readEvent(body, signature) {
      let event: StripeClient.Event;
      try {
        event = stripe.webhooks.constructEvent(body, signature, webhookSecret);
      } catch (cause) {
        throw createError('bad_request', "The event's signature is invalid or too old.", { cause });
      }
      switch (event.type) {
        case 'customer.subscription.created':
        case 'customer.subscription.updated':
        case 'customer.subscription.deleted':
          return toPaidSubscription(event.data.object, event.created * 1_000);
        default:
          return undefined;
      }
    },
  };
}

function toPaidSubscription(subscription: StripeClient.Subscription, toldAtMs: number): PaidSubscription | undefined {
  const account = subscription.metadata['account_id'];
  const item = subscription.items.data[0];
  if (account === undefined || item === undefined) return undefined;
  const { customer } = subscription;
  return {
    account: account as AccountId,
    status: STATUSES[subscription.status] ?? 'canceled',
    price: item.price.id,
    periodStartMs: item.current_period_start * 1_000,
    periodEndMs: item.current_period_end * 1_000,
    isCancelledAtEnd: subscription.cancel_at_period_end,
    customer: typeof customer === 'string' ? customer : customer.id,
    externalId: subscription.id,
    toldAtMs,
  };
}

async function asking(ask: () => Promise<string | null>): Promise<string> {
  try {
    const url = await ask();
    if (url !== null) return url;
  } catch (cause) {
    throw createError('unavailable', "Can't reach the payment provider. Try again in a moment.", { cause });
  }
  throw createError('unavailable', 'The payment provider returned no page. Try again in a moment.');
}

function hostOf(apiUrl: string | undefined) {
  if (apiUrl === undefined) return {};
  const { hostname, port, protocol } = new URL(apiUrl);
  return { host: hostname, port, protocol: protocol === 'http:' ? ('http' as const) : ('https' as const) };
}
