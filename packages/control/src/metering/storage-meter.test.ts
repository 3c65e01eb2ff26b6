import { createAccountFixture } from '@berth/accounts/testing';
import { createSilentLogger } from '@berth/kit';
import { expect, test } from 'vitest';
import { createSoleCluster } from '../cluster/cluster.ts';
import { createLeases } from '../cluster/leases.ts';
import { DEFAULT_PRICE_BOOK } from './price-book.ts';
import { createStorageMeter } from './storage-meter.ts';
import { createUsageMeter } from './usage-meter.ts';
import { createUsageStore } from './usage-store.ts';

const HOUR_MS = 3_600_000;

test('a GiB kept for 730 hours is one GiB-month, over restarts too', async () => {
  await using fixture = await createAccountFixture();
  const { db, clock, other } = fixture;
  const account = other.account.id;
  await db
    .insertInto('volumes')
    .values({
      account_id: account,
      name: 'data',
      created_at: clock.nowMs(),
      storage_id: 'vol_1',
      size_bytes: 2 ** 30,
      object_count: 1,
      counted_at: 0,
    })
    .execute();
  const store = createUsageStore(db);
  const leases = createLeases({ db, clock, cluster: createSoleCluster(clock), logger: createSilentLogger() });
  const run = async (hours: number) => {
    const logger = createSilentLogger();
    const meter = createUsageMeter({ store, clock, logger, prices: DEFAULT_PRICE_BOOK });
    const storage = createStorageMeter({ db, clock, logger, meter, leases });
    storage.start();
    for (let passed = 0; passed < hours; passed += 2) await clock.elapse(2 * HOUR_MS);
    await storage.close();
    await meter.close();
  };
  await run(20);
  await clock.elapse(690 * HOUR_MS);
  await run(20);
  const sums = await store.sums(account as never, { from: '0000-01-01', to: '9999-12-31' });
  expect(sums.get('storage')?.amount).toBeCloseTo(1, 3);
});
