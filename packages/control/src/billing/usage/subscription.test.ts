import { createAccountFixture } from '@berth/accounts/testing';
import { planSchema, subscriptionSchema } from '@berth/contract';
import { createSilentLogger } from '@berth/kit';
import { expect, test } from 'vitest';
import { DEFAULT_PRICE_BOOK } from '../../metering/price-book.ts';
import { createBilling } from '../create-billing.ts';
import { parsePlans } from '../plans/plans.ts';

/** Nothing here asks for SQL. */
const NO_SQL = { run: async () => '[]' };

const PLANS = parsePlans('{"default":"free","plans":{"free":{"deployments":2},"team":{"deployments":20}}}', 30);

async function createFixture() {
  const fixture = await createAccountFixture();
  const { db, clock } = fixture;
  const billing = createBilling({ db, clock, logger: createSilentLogger(), plans: PLANS, prices: DEFAULT_PRICE_BOOK });
  billing.registerRoutes(fixture.api, {
    audit: fixture.services.audit,
    returnUrl: 'https://berth.example/',
    sql: NO_SQL,
  });
  return { fixture, billing };
}

test('answers the plan, its limits, the month, and what was used to the moment', async () => {
  const { fixture, billing } = await createFixture();
  await using _ = fixture;
  const { account, key } = fixture.other;
  const common = { account: account.id, deployment: 'shop', revision: 'r', instance: 'i' };
  billing.gatewayListener.onInstance({
    ...common,
    timeMs: 0,
    kind: 'billed',
    billableMs: 10_000,
    memoryBytes: 512 * 2 ** 20,
    cpuMillis: 500,
  });
  billing.gatewayListener.onRequest({
    ...common,
    startedAtMs: 0,
    method: 'GET',
    url: '/',
    host: 'shop',
    protocol: 'HTTP/1.1',
    status: 200,
    latencyMs: 1,
    requestSize: 10,
    responseSize: 2_000,
    remoteIp: '::1',
    userAgent: '',
    trace: '0'.repeat(32),
  });
  const { status, body } = await fixture.call('GET', '/v1/user/subscription', { key: key.secret });
  expect(status).toBe(200);
  expect(subscriptionSchema.parse(body)).toEqual(body);
  expect(body).toMatchObject({ plan: 'free', status: 'active', currency: 'USD', cancel_at_period_end: false });
  expect(body.limits.deployments).toBe(2);
  expect(body.usage).toMatchObject({ cpu_seconds: 5, memory_gib_seconds: 5, requests: 1, egress_bytes: 2_000 });
  const { prices } = DEFAULT_PRICE_BOOK;
  expect(body.usage.cost).toBeCloseTo(5 * prices.cpu + 5 * prices.memory + prices.requests + 2_000 * prices.egress, 12);
  const now = new Date(fixture.clock.nowMs());
  expect(body.current_period_start).toBe(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)).toISOString());
});

test('shows nothing of another account, and asks for the scope', async () => {
  const { fixture, billing } = await createFixture();
  await using _ = fixture;
  billing.onBuildSeconds(fixture.other.account.id as never, 'shop', 60);
  const { body } = await fixture.call('GET', '/v1/user/subscription', { key: fixture.operatorKey });
  expect(body.usage).toMatchObject({ build_seconds: 0, cost: 0 });
  const read = await fixture.call('POST', '/v1/user/keys', {
    key: fixture.other.key.secret,
    json: { name: 'reader', scopes: ['read'] },
  });
  expect((await fixture.call('GET', '/v1/user/subscription', { key: read.body.secret })).status).toBe(403);
  expect((await fixture.call('GET', '/v1/user/subscription')).status).toBe(401);
});

test('an account on another plan has the limits of that', async () => {
  const { fixture } = await createFixture();
  await using _ = fixture;
  await fixture.db.updateTable('accounts').set({ plan: 'team' }).execute();
  const { body } = await fixture.call('GET', '/v1/user/subscription', { key: fixture.other.key.secret });
  expect(body).toMatchObject({ plan: 'team', limits: { deployments: 20 } });
});

test('the plans are listed in their order, with the one that the account is on', async () => {
  const { fixture } = await createFixture();
  await using _ = fixture;
  const { status, body } = await fixture.call('GET', '/v1/user/plans', { key: fixture.other.key.secret });
  expect([status, planSchema.array().parse(body)]).toEqual([200, body]);
  expect(body).toMatchObject([
    { name: 'free', limits: { deployments: 2 }, is_current: true, is_sold: false },
    { name: 'team', limits: { deployments: 20 }, is_current: false, is_sold: false },
  ]);
  expect((await fixture.call('GET', '/v1/user/plans')).status).toBe(401);
});
