import { openDatabase } from '@berth/database';
import { expect, test } from 'vitest';
import { createEntitlements } from '../billing/plans/entitlements.ts';
import { parsePlans } from '../billing/plans/plans.ts';
import { createLogRetention } from './log-retention.ts';

const DAY_MS = 86_400_000;
const PLANS = '{"default":"free","plans":{"free":{"log_retention_days":3},"team":{"log_retention_days":90},"old":{}}}';

test('logs are kept as long as the plan of their account says at the moment', async () => {
  const { db, close } = await openDatabase({ file: ':memory:' });
  const entitlements = createEntitlements(parsePlans(PLANS, 14));
  const retention = createLogRetention({ db, entitlements, defaultDays: 14 });
  for (const plan of ['team', 'old', 'sold-out']) {
    await db
      .insertInto('accounts')
      .values({ id: `acct_${plan}`, name: plan, plan, is_operator: 0, created_at: 0 })
      .execute();
  }
  const days = async (account: string) => (await retention(account)) / DAY_MS;
  expect(await days('acct_team')).toBe(90);
  expect(await days('acct_old')).toBe(14);
  expect(await days('acct_sold-out')).toBe(3);
  expect(await days('acct_nobody')).toBe(14);
  await db.updateTable('accounts').set({ plan: 'free' }).where('id', '=', 'acct_team').execute();
  expect(await days('acct_team')).toBe(3);
  await close();
});
