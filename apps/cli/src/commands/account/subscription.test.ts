import { answerJson } from '@berth/client/testing';
import type { Subscription } from '@berth/contract';
import { expect, test } from 'vitest';
import { useBerth } from '../../testing/use-berth.ts';

const berth = useBerth();

const SUBSCRIPTION: Subscription = {
  plan: 'team',
  status: 'active',
  currency: 'EUR',
  cancel_at_period_end: true,
  current_period_start: '2026-02-01T00:00:00.000Z',
  current_period_end: '2026-03-01T00:00:00.000Z',
  limits: {
    deployments: 20,
    volumes: 5,
    max_instances: 10,
    memory: '4Gi',
    storage_bytes: 5 * 2 ** 30,
    log_retention_days: 14,
  },
  usage: {
    cpu_seconds: 12.345,
    memory_gib_seconds: 6,
    requests: 1_234,
    egress_bytes: 2_048,
    storage_gib_months: 0,
    build_seconds: 31,
    cost: 1.5,
  },
};

test('shows the plan, what was used, and when it ends', async () => {
  berth.server.on('GET /v1/user/subscription', answerJson(200, SUBSCRIPTION));
  const { code, stdout } = await berth.run(['subscription']);
  expect(code).toBe(0);
  expect(stdout).toContain('2026-02-01 to 2026-03-01, then ends');
  expect(stdout).toContain('1.50 EUR');
  expect(stdout).toContain('1,234');
  expect(stdout).toContain('20 deployments');
  expect(JSON.parse((await berth.run(['subscription', '--json'])).stdout)).toEqual(SUBSCRIPTION);
});

test('the operator puts an account on a plan', async () => {
  const account = { id: 'acc_1', name: 'acme', plan: 'team', created_at: '2026-01-01T00:00:00Z' };
  berth.server.on('POST /v1/admin/accounts/plan', answerJson(200, account));
  const { code, stderr, stdout } = await berth.run(['admin', 'account', 'plan', 'acme', 'team']);
  expect(code).toBe(0);
  expect(stdout + stderr).toContain('acme is on the plan team.');
});

test('lists the plans, and marks the own one', async () => {
  const plan = { name: 'team', limits: SUBSCRIPTION.limits, is_current: true, is_sold: false };
  berth.server.on('GET /v1/user/plans', answerJson(200, [plan, { ...plan, name: 'free', is_current: false }]));
  const { stdout } = await berth.run(['plans']);
  expect(stdout).toContain('team *');
  expect(stdout).not.toContain('free *');
});
