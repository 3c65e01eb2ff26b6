import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAccountFixture } from '@berth/accounts/testing';
import { createSilentLogger } from '@berth/kit';
import { Stripe } from 'stripe';
import { expect, test } from 'vitest';
import { DEFAULT_PRICE_BOOK } from '../../metering/price-book.ts';
import { createBilling } from '../create-billing.ts';
import { parsePlans } from '../plans/plans.ts';
import { createStripePayments } from './stripe-payments.ts';

/** Nothing here asks for SQL. */
const NO_SQL = { run: async () => '[]' };

const SECRET = 'whsec_test';
const PLANS = parsePlans(
  '{"default":"free","plans":{"free":{"deployments":2},"team":{"deployments":20,"stripe_price":"price_team"}}}',
  30,
);

/** A server that answers as Stripe's API does for the two calls made of it, and keeps what it was sent. */
async function createStripeServer() {
  const calls: { readonly path: string; readonly form: URLSearchParams }[] = [];
  const server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      calls.push({ path: request.url ?? '', form: new URLSearchParams(body) });
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ id: 'x_1', object: 'session', url: `https://pay.example${request.url}` }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    calls,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function createFixture(apiUrl: string) {
  const fixture = await createAccountFixture();
  const { db, clock } = fixture;
  const payments = await createStripePayments({ apiKey: 'sk_test_1', webhookSecret: SECRET, apiUrl });
  const logger = createSilentLogger();
  const billing = createBilling({ db, clock, logger, plans: PLANS, prices: DEFAULT_PRICE_BOOK, payments });
  billing.registerRoutes(fixture.api, {
    audit: fixture.services.audit,
    returnUrl: 'https://berth.example/',
    sql: NO_SQL,
  });
  const { account, key } = fixture.other;
  const send = (event: object, secret = SECRET) => {
    const payload = JSON.stringify(event);
    const signature = new Stripe('sk_test_1').webhooks.generateTestHeaderString({ payload, secret });
    return fixture.call('POST', '/webhooks/stripe', {
      headers: { 'stripe-signature': signature, 'content-type': 'application/json' },
      json: event,
    });
  };
  const subscription = async () => (await fixture.call('GET', '/v1/user/subscription', { key: key.secret })).body;
  return { fixture, account, secret: key.secret, send, subscription };
}

interface EventOptions {
  readonly account: string;
  readonly created: number;
  readonly type?: string;
  readonly status?: string;
  readonly isCancelledAtEnd?: boolean;
}

/** The fields that are read, in the shape of a recorded event. */
function subscriptionEvent({ account, created, type = 'updated', status = 'active', isCancelledAtEnd }: EventOptions) {
  return {
    id: `evt_${created}`,
    object: 'event',
    api_version: '2026-01-28',
    livemode: false,
    pending_webhooks: 1,
    request: null,
    created,
    type: `customer.subscription.${type}`,
    data: {
      object: {
        id: 'sub_1',
        object: 'subscription',
        customer: 'cus_1',
        status,
        cancel_at_period_end: isCancelledAtEnd ?? false,
        metadata: { account_id: account },
        items: {
          object: 'list',
          data: [
            { price: { id: 'price_team' }, current_period_start: 1_800_000_000, current_period_end: 1_802_592_000 },
          ],
        },
      },
    },
  };
}

test('a paid plan is the account’s until it ends; what comes twice or late changes nothing', async () => {
  await using stripe = await createStripeServer();
  const { fixture, account, send, subscription } = await createFixture(stripe.url);
  await using _ = fixture;
  expect(await subscription()).toMatchObject({ plan: 'free' });

  const bought = subscriptionEvent({ account: account.id, created: 1_000, type: 'created' });
  expect((await send(bought)).status).toBe(200);
  expect((await send(bought)).status).toBe(200);
  expect(await subscription()).toMatchObject({
    plan: 'team',
    status: 'active',
    current_period_start: '2027-01-15T08:00:00.000Z',
    current_period_end: '2027-02-14T08:00:00.000Z',
    limits: { deployments: 20 },
  });
  const audit = await fixture.db.selectFrom('audit_log').selectAll().where('action', '=', 'account.plan').execute();
  expect(audit).toHaveLength(1);

  await send(subscriptionEvent({ account: account.id, created: 2_000, isCancelledAtEnd: true }));
  expect(await subscription()).toMatchObject({ plan: 'team', cancel_at_period_end: true });
  await send(subscriptionEvent({ account: account.id, created: 3_000, type: 'deleted', status: 'canceled' }));
  await send(subscriptionEvent({ account: account.id, created: 1_500 }));
  expect(await subscription()).toMatchObject({ plan: 'free', status: 'canceled' });
});

test('an event that is not signed by the provider changes nothing', async () => {
  await using stripe = await createStripeServer();
  const { fixture, account, send, subscription } = await createFixture(stripe.url);
  await using _ = fixture;
  const event = subscriptionEvent({ account: account.id, created: 1_000 });
  expect((await send(event, 'whsec_other')).status).toBe(400);
  expect((await fixture.call('POST', '/webhooks/stripe', { json: event })).status).toBe(400);
  expect(await subscription()).toMatchObject({ plan: 'free' });
});

test('an event of an account that is not here, and one of no interest, are taken note of', async () => {
  await using stripe = await createStripeServer();
  const { fixture, send } = await createFixture(stripe.url);
  await using _ = fixture;
  expect((await send(subscriptionEvent({ account: 'acc_gone', created: 1 }))).status).toBe(200);
  const other = { ...subscriptionEvent({ account: 'x', created: 1 }), type: 'invoice.paid' };
  expect((await send(other)).body).toEqual({ detail: 'Event ignored.' });
});

test('a plan is bought on the provider’s page, once; then its portal is where it is changed', async () => {
  await using stripe = await createStripeServer();
  const { fixture, account, secret, send } = await createFixture(stripe.url);
  await using _ = fixture;
  const checkout = (plan: string) =>
    fixture.call('POST', '/v1/user/subscription/checkout', { key: secret, json: { plan } });
  const portal = () => fixture.call('POST', '/v1/user/subscription/portal', { key: secret });

  expect((await checkout('free')).status).toBe(422);
  expect((await checkout('toString')).status).toBe(422);
  expect((await portal()).status).toBe(404);
  expect((await checkout('team')).body).toEqual({ url: 'https://pay.example/v1/checkout/sessions' });
  const [call] = stripe.calls;
  expect(call?.form.get('line_items[0][price]')).toBe('price_team');
  expect(call?.form.get('subscription_data[metadata][account_id]')).toBe(account.id);

  await send(subscriptionEvent({ account: account.id, created: 1_000 }));
  expect((await checkout('team')).body).toEqual({ url: 'https://pay.example/v1/billing_portal/sessions' });
  expect((await portal()).body).toEqual({ url: 'https://pay.example/v1/billing_portal/sessions' });
});

test('without a provider the pages are not there, and the operator sets the plans', async () => {
  const fixture = await createAccountFixture();
  await using _ = fixture;
  const { db, clock, operatorKey } = fixture;
  const billing = createBilling({
    db,
    clock,
    logger: createSilentLogger(),
    plans: PLANS,
    prices: DEFAULT_PRICE_BOOK,
  });
  billing.registerRoutes(fixture.api, {
    audit: fixture.services.audit,
    returnUrl: 'https://berth.example/',
    sql: NO_SQL,
  });
  const { secret } = fixture.other.key;
  const json = { plan: 'team' };
  expect((await fixture.call('POST', '/v1/user/subscription/checkout', { key: secret, json })).status).toBe(501);
  expect((await fixture.call('POST', '/webhooks/stripe', { json })).status).toBe(501);

  const setPlan = (key: string, account: string, plan: string) =>
    fixture.call('POST', '/v1/admin/accounts/plan', { key, json: { account, plan } });
  expect((await setPlan(secret, 'other', 'team')).status).toBe(403);
  expect((await setPlan(operatorKey, 'other', 'gold')).status).toBe(422);
  expect((await setPlan(operatorKey, 'nobody', 'team')).status).toBe(404);
  expect((await setPlan(operatorKey, 'other', 'team')).body).toMatchObject({ name: 'other', plan: 'team' });
  const { body } = await fixture.call('GET', '/v1/user/subscription', { key: secret });
  expect(body).toMatchObject({ plan: 'team', limits: { deployments: 20 } });
});
