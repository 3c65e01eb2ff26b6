import { createAccountFixture } from '@berth/accounts/testing';
import { expect, test } from 'vitest';
import type { UsageRow } from '../../metering/usage-store.ts';
import { reconcile } from './reconcile.ts';

test('tells what differs by more than 1 %, and what only one of the two knows', async () => {
  await using fixture = await createAccountFixture();
  const { account } = fixture.other;
  const row = { account: account.id, day: '2026-03-01', cost: 0, currency: 'USD' } as UsageRow;
  const usage = {
    list: async (id: string): Promise<UsageRow[]> =>
      id === account.id
        ? [
            { ...row, resource: 'shop', sku: 'requests', amount: 1_000 },
            { ...row, resource: 'shop', sku: 'egress', amount: 5_000 },
            { ...row, resource: 'shop', sku: 'cpu', amount: 12 },
            { ...row, resource: 'lost', sku: 'requests', amount: 3 },
          ]
        : [],
  };
  const logged = [
    { day: '2026-03-01', resource: 'shop', requests: 995, egress: 4_000 },
    { day: '2026-03-01', resource: 'free', requests: 2, egress: 0 },
  ];
  const sql = { run: async (id: string) => JSON.stringify(id === account.id ? logged : []) };
  const result = await reconcile({ db: fixture.db, usage, sql }, '2026-03-01', new AbortController().signal);
  const common = { account: 'other', day: '2026-03-01' };
  expect(result).toEqual({
    checked: 5,
    off: [
      { ...common, resource: 'shop', sku: 'egress', metered: 5_000, logged: 4_000 },
      { ...common, resource: 'lost', sku: 'requests', metered: 3, logged: 0 },
      { ...common, resource: 'free', sku: 'requests', metered: 0, logged: 2 },
    ],
  });
});
