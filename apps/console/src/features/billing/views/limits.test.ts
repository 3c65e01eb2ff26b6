import type { Deployment, PlanLimits, Subscription, Volume } from '@berth/contract';
import { createElement } from 'react';
import { describe, expect, test } from 'vitest';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { setupView } from '../../../render-view.test-support.ts';
import { Limits } from './limits.tsx';
import { Usage } from './usage.tsx';
import { useMoney } from './use-money.ts';

const GIB = 2 ** 30;
const LIMITS = {
  deployments: 10,
  volumes: 4,
  storage_bytes: 10 * GIB,
  max_instances: 20,
  memory: '4Gi',
  log_retention_days: 30,
} as PlanLimits;

/** Returns the values of a list of facts by their names. */
function factsOf(html: string): Record<string, string> {
  const pairs = html.matchAll(/<dt[^>]*>(.*?)<\/dt><dd[^>]*>(.*?)<\/dd>/g);
  return Object.fromEntries([...pairs].map(([, name = '', value = '']) => [name, value]));
}
const textOf = (html = '') => html.replaceAll(/<[^>]*>/g, '');

function limits(deployments: readonly object[] | undefined, volumes: readonly object[] | undefined) {
  const { render } = setupView({
    cached: [
      ...(deployments ? [[QUERY_KEYS.deployments, deployments as Deployment[]] as const] : []),
      ...(volumes ? [[QUERY_KEYS.volumes, volumes as Volume[]] as const] : []),
    ],
  });
  return factsOf(render(createElement(Limits, { limits: LIMITS })));
}

describe('the limits', () => {
  // Fails when the memory of the deployments is summed up: the limit is that of each.
  test('are compared with what is used', () => {
    const facts = limits([{ memory: '1Gi' }, { memory: '3Gi' }], [{ size_bytes: GIB }, { size_bytes: 2 * GIB }]);
    expect(Object.values(facts).map(textOf)).toEqual([
      '2 of 10',
      '2 of 4',
      '3 GiB of 10 GiB',
      '20',
      '3 GiB of 4 GiB',
      '30 days',
    ]);
  });

  // Fails when what is unknown counts as nothing used.
  test('stand alone until the use is known', () => {
    expect(Object.values(limits(undefined, undefined)).map(textOf).slice(0, 3)).toEqual(['10', '4', '10 GiB']);
  });

  // Fails when the bound of the warning moves.
  test.each([
    [8, false],
    [9, true],
    [12, true],
  ])('%i of 10 deployments is close to the limit: %s', (count, isNear) => {
    const value = Object.values(limits(Array(count).fill({ memory: '1Gi' }), []))[0] ?? '';
    expect(value.includes('text-warn')).toBe(isNear);
    // The bar never grows beyond its frame.
    expect(Number(/<rect width="([\d.]+)"/.exec(value)?.[1])).toBe(Math.min(count / 10, 1));
  });
});

// Fails when a forecast is given for what isn't used, or on the first day.
test('usage has a forecast once there is some', () => {
  const nowMs = Date.now();
  const day = 86_400_000;
  const usage = {
    cpu_seconds: 100,
    memory_gib_seconds: 0,
    requests: 7,
    egress_bytes: GIB,
    storage_gib_months: 0,
    build_seconds: 0,
  };
  const html = (startMs: number) => {
    const period = { current_period_start: new Date(startMs), current_period_end: new Date(startMs + 10 * day) };
    const subscription = JSON.parse(JSON.stringify({ usage, ...period })) as Subscription;
    return Object.values(factsOf(setupView().render(createElement(Usage, { subscription })))).map(textOf);
  };
  expect(html(nowMs - day / 2).every((text) => !text.includes('200'))).toBe(true);
  const [cpu, memory, requests] = html(nowMs - 5 * day);
  expect(cpu).toMatch(/100.*(200|199\.\d+)/);
  expect(memory).toBe(html(nowMs - day / 2)[1]);
  expect(requests).toMatch(/^7.*14/);
});

// Fails when small amounts are rounded to nothing: a request costs millionths.
test('money has as many digits as it needs', () => {
  const money = setupView().call(useMoney);
  expect(money({ cost: 12.345, currency: 'USD' })).toBe('$12.35');
  expect(money({ cost: 0.000_004, currency: 'USD' })).toBe('$0.000004');
  expect(money({ cost: 3, currency: 'EUR' })).toBe('€3.00');
});
