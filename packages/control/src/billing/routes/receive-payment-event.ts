import { type Api, defineRoute } from '@berth/accounts';
import { createError, LIMITS, messageSchema } from '@berth/contract';
import { jsonResponse, readBody, registerStream } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { PaidSubscription, Payments } from '../payments/payments.ts';

const route = defineRoute('POST /webhooks/stripe', {
  scope: 'public',
  errors: ['not_available', 'payload_too_large'],
  operationId: 'receivePaymentEvent',
  tags: ['Billing'],
  summary: 'Receive Stripe webhook events with a valid signature',
  request: { headers: z.object({ 'stripe-signature': z.string() }) },
  responses: { 200: jsonResponse(messageSchema, 'The event was received') },
});

/** Dependencies of {@link registerReceivePaymentEvent}. */
export interface PaymentEventDeps {
  /** Absent: the platform takes no payments. */
  readonly payments: Payments | undefined;
  onPayment(paid: PaidSubscription): Promise<boolean>;
}

/** Registers `POST /webhooks/stripe`. */
export function registerReceivePaymentEvent(api: Api, { payments, onPayment }: PaymentEventDeps): void {
  registerStream(api, route, async (c) => {
    if (!payments) throw createError('not_available', 'Payments are not set up on this platform.');
    // The signature covers the raw bytes.
    const body = Buffer.from(await readBody(c, LIMITS.jsonBodyBytes)).toString('utf8');
    const paid = payments.readEvent(body, c.req.header('stripe-signature') ?? '');
    if (!paid) return c.json({ detail: 'Event ignored.' }, 200);
    const isKnown = await onPayment(paid);
    return c.json({ detail: isKnown ? 'Event received.' : 'No such account.' }, 200);
  });
}
