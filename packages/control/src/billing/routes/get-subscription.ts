import { subscriptionSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import type { Api } from '../../http/api.ts';
import { defineRoute } from '../../http/define-route.ts';
import type { Subscriptions } from '../subscriptions.ts';

const route = defineRoute(
  { scope: 'billing' },
  {
    method: 'get',
    path: '/v1/user/subscription',
    operationId: 'getSubscription',
    tags: ['Billing'],
    summary: "The account's plan, its limits, and what was used in this period",
    responses: { 200: jsonResponse(subscriptionSchema, 'The subscription') },
  },
);

export interface BillingRouteDeps {
  readonly subscriptions: Subscriptions;
}

export function registerGetSubscription(api: Api, { subscriptions }: BillingRouteDeps): void {
  api.openapi(route, async (c) => c.json(await subscriptions.get(c.get('principal').accountId), 200));
}
