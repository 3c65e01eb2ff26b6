import { defineOperation } from '@berth/accounts';
import { subscriptionSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import type { Subscriptions } from '../usage/subscriptions.ts';

/** Dependencies of {@link registerGetSubscription}. */
export interface BillingRouteDeps {
  readonly subscriptions: Subscriptions;
}

/** Registers `GET /v1/user/subscription`. */
export const registerGetSubscription = defineOperation(
  'GET /v1/user/subscription',
  {
    scope: 'billing',
    operationId: 'getSubscription',
    tags: ['Billing'],
    summary: "Get the account's plan, limits and usage",
    responses: { 200: jsonResponse(subscriptionSchema, 'The subscription') },
  },
  async (c, { subscriptions }: BillingRouteDeps) => c.json(await subscriptions.get(c.get('principal').accountId), 200),
);
