import { type Api, defineRoute } from '@berth/accounts';
import { createError, createValidationError } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { PaymentPages } from '../payments/payment-pages.ts';

const pageSchema = z.object({ url: z.url() }).openapi('PaymentPage');

const checkoutRoute = defineRoute('POST /v1/user/subscription/checkout', {
  scope: 'admin',
  errors: ['not_available'],
  operationId: 'openCheckout',
  tags: ['Billing'],
  summary: "Open the payment provider's checkout page for a plan",
  request: { body: jsonBody(z.object({ plan: z.string() }).openapi('CheckoutRequest')) },
  responses: { 200: jsonResponse(pageSchema, 'The URL of the page') },
});

const portalRoute = defineRoute('POST /v1/user/subscription/portal', {
  scope: 'admin',
  errors: ['not_available', 'not_found'],
  operationId: 'openPaymentPortal',
  tags: ['Billing'],
  summary: "Open the payment provider's page for cards, invoices and cancellation",
  responses: { 200: jsonResponse(pageSchema, 'The URL of the page') },
});

/** @param pages absent: the platform takes no payments. */
export function registerOpenCheckout(api: Api, { pages }: { readonly pages: PaymentPages | undefined }): void {
  const charging = () => {
    if (!pages)
      throw createError('not_available', 'Payments are not set up on this platform. Its operator assigns plans.');
    return pages;
  };
  api.openapi(checkoutRoute, async (c) => {
    const { plan } = c.req.valid('json');
    const url = await charging().checkout(c.get('principal').accountId, plan);
    if (url !== undefined) return c.json({ url }, 200);
    const msg = 'is not a plan that can be bought';
    throw createValidationError([{ loc: ['body', 'plan'], msg, type: 'plan_unknown' }]);
  });
  api.openapi(portalRoute, async (c) => {
    const url = await charging().portal(c.get('principal').accountId);
    if (url !== undefined) return c.json({ url }, 200);
    throw createError('not_found', 'The account has not bought a plan yet.');
  });
}
