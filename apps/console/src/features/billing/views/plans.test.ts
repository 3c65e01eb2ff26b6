// @vitest-environment happy-dom
import type { Plan, PlanLimits, Subscription } from '@berth/contract';
import { createError } from '@berth/contract';
import { createElement } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { openView } from '../../../testing/open-view.ts';
import { BillingPage } from './billing-page.tsx';
import { PlanList } from './plan-list.tsx';
import { PlanSummary } from './plan-summary.tsx';

const CHECKOUT = 'POST /v1/user/subscription/checkout';
const PORTAL = 'POST /v1/user/subscription/portal';
const GIB = 2 ** 30;
const limits = {
  ...{ deployments: 10, volumes: 4, storage_bytes: 10 * GIB, max_instances: 20 },
  ...{ memory: '4Gi', log_retention_days: 30 },
} as PlanLimits;
const plan = (name: string, changes: Partial<Plan> = {}): Plan => ({
  ...{ name, limits, is_current: false, is_sold: true },
  ...changes,
});
const user = { account: { id: 'acc_1', name: "Ada's team" }, role: 'owner', scopes: ['read'] };

let visited: string[] = [];
beforeEach(() => {
  visited = [];
  vi.stubGlobal('location', { origin: 'https://berth.test', assign: (url: string) => visited.push(url) });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function openPlans(plans: readonly Plan[], checkout: () => unknown = () => ({ url: 'https://pay.example/c1' })) {
  return openView(createElement(PlanList), {
    cached: [[QUERY_KEYS.user, user]],
    answers: { 'GET /v1/user/plans': () => plans, [CHECKOUT]: checkout },
  });
}

describe('the plans', () => {
  // Fails when the plan that the account has, or one that isn't sold, can be bought: the account would pay twice.
  test('that are sold can be chosen, except the current one', async () => {
    const page = await openPlans([plan('hobby', { is_current: true }), plan('team'), plan('own', { is_sold: false })]);
    await page.until(() => expect(page.rows('Plans')).toHaveLength(3));
    expect(page.rows('Plans').map((cells) => [cells[0], cells.at(-1)])).toEqual([
      ['hobbyCurrent plan', ''],
      ['team', 'Select plan'],
      ['own', ''],
    ]);
  });

  // Fails when another plan is bought than the one whose button was pressed, or it is bought twice.
  test('are bought one at a time, at the payment provider', async () => {
    const answer = Promise.withResolvers<unknown>();
    const page = await openPlans([plan('team'), plan('scale')], () => answer.promise);
    await page.until(() => expect(page.rows('Plans')).toHaveLength(2));
    await page.clickOn('Select plan', 1);
    await page.clickOn('Select plan', 1);
    expect(visited).toEqual([]);
    answer.resolve({ url: 'https://pay.example/c1' });
    await page.until(() => expect(visited).toEqual(['https://pay.example/c1']));
    expect(page.calls.filter(({ route }) => route === CHECKOUT).map(({ body }) => body)).toEqual([{ plan: 'scale' }]);
  });

  // Fails when the code of the error is ignored, or every error is the one of a platform without payments.
  test.each([
    ['not_available', 'Stripe is not configured.', /no payment is needed/],
    ['conflict', 'The subscription is past due. Pay the open invoice first.', /^The subscription is past due/],
  ] as const)('refused with %s say why', async (code, words, shown) => {
    const page = await openPlans([plan('team')], () => {
      throw createError(code, words);
    });
    await page.clickOn('Select plan');
    await page.until(() => expect(page.texts('alert')).toEqual([expect.stringMatching(shown)]));
    expect(visited).toEqual([]);
  });

  // Fails when the name of the account ends the quotes: the operator would run what the owner wrote.
  test('of a platform that sells none come with the operator’s command', async () => {
    const page = await openPlans([
      plan('free', { is_sold: false, is_current: true }),
      plan('team', { is_sold: false }),
    ]);
    await page.until(() => expect(page.text()).toContain('Your operator assigns plans'));
    expect(page.text()).toContain(`npx berth admin account plan 'Ada'\\''s team' team`);
    expect(page.controls()).not.toContain('Select plan');
  });
});

const subscription = (changes: Partial<Subscription> = {}): Subscription =>
  ({
    ...{ plan: 'team', status: 'active', currency: 'USD', cancel_at_period_end: false, limits },
    ...{ current_period_start: '2026-01-01T00:00:00Z', current_period_end: '2026-02-01T00:00:00Z' },
    usage: {
      ...{ cost: 12.5, cpu_seconds: 0, memory_gib_seconds: 0, requests: 0, egress_bytes: 0 },
      ...{ storage_gib_months: 0, build_seconds: 0 },
    },
    ...changes,
  }) as Subscription;

function openSummary(
  changes: Partial<Subscription> = {},
  portal: () => unknown = () => ({ url: 'https://pay.example/p' }),
  plans: readonly Plan[] = [plan('team')],
) {
  // Half of the period has passed.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-01-16T12:00:00Z') });
  return openView(createElement(PlanSummary, { subscription: subscription(changes) }), {
    answers: { [PORTAL]: portal, 'GET /v1/user/plans': () => plans },
  });
}

describe('the current plan', () => {
  // Fails when the first day of the next period counts as the last of this one.
  test('says what it has cost, until when, and how much it will be', async () => {
    const page = await openSummary();
    expect(page.text()).toContain('Jan 1, 2026 – Jan 31, 2026');
    expect(page.text()).toContain('$12.50');
    expect(page.text()).toContain('Forecast $25.00');
    expect(page.text()).not.toContain('Ends after this period');
  });

  // Fails when a payment that failed, or a plan that ends, looks like any other.
  test.each<[Partial<Subscription>, string]>([
    [{ status: 'past_due' }, 'Past due'],
    [{ status: 'canceled' }, 'Canceled'],
    [{ status: 'trialing' }, 'Trial'],
    [{ cancel_at_period_end: true }, 'Ends after this period'],
  ])('with %j says “%s”', async (changes, words) => {
    expect((await openSummary(changes)).text()).toContain(words);
  });

  test('leads to its invoices', async () => {
    const page = await openSummary();
    await page.clickOn('Manage payment');
    await page.until(() => expect(visited).toEqual(['https://pay.example/p']));
  });

  // Fails when a platform without payments offers to manage them.
  test('has no invoices where no plan is sold', async () => {
    const page = await openSummary({}, undefined, [plan('team', { is_sold: false })]);
    await page.settle();
    expect(page.controls()).toEqual([]);
  });

  // Fails when a press does nothing that one can see.
  test.each([
    ['not_available', /no payment is needed/],
    ['unavailable', /Stripe doesn’t answer/],
  ] as const)('whose invoices are refused with %s says so', async (code, words) => {
    const page = await openSummary({}, () => {
      throw createError(code, 'Stripe doesn’t answer.');
    });
    await page.clickOn('Manage payment');
    await page.until(() => expect(page.text()).toMatch(words));
    expect(page.texts('alert')).toHaveLength(code === 'unavailable' ? 1 : 0);
    expect(page.control('Manage payment').disabled).toBe(false);
    expect(visited).toEqual([]);
  });
});

describe('the billing page', () => {
  const answers = (read: () => unknown) => ({
    'GET /v1/user/subscription': read,
    'GET /v1/user/plans': () => [plan('team', { is_current: true })],
    'GET /v1/deployment/list': () => [],
    'GET /v1/volume/list': () => [],
    'POST /v1/sql': () => [],
  });

  // Fails when one answer that is missing takes the rest of the page with it, or can't be asked for again.
  test('shows costs and plans without the subscription, and asks for it again', async () => {
    let asked = 0;
    const page = await openView(createElement(BillingPage), {
      answers: answers(() => {
        if (++asked === 1) throw createError('unavailable', 'The database is busy.');
        return subscription();
      }),
    });
    await page.until(() => expect(page.texts('alert')).toEqual(['The database is busy.Try again']));
    expect(page.text()).toContain('No costs this month');
    expect(page.text()).not.toContain('Usage this period');
    await page.clickOn('Try again');
    await page.until(() => expect(page.text()).toContain('Usage this period'));
    expect(page.texts('alert')).toEqual([]);
  });
});
