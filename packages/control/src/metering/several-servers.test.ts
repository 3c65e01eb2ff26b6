import { type AccountId, createSilentLogger } from '@berth/kit';
import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import { createLeases } from '../cluster/leases.ts';
import { createPausableClock, createSharedDatabase } from '../cluster/testing/open-servers.ts';
import { DEFAULT_PRICE_BOOK } from './price-book.ts';
import { createStorageMeter } from './storage-meter.ts';
import { createUsageMeter } from './usage-meter.ts';
import { createUsageStore } from './usage-store.ts';

const ACCOUNT = 'acc' as AccountId;
const HOUR_MS = 3_600_000;
const ALL = { from: '0000-01-01', to: '9999-12-31' };
const logger = createSilentLogger();

// Fails when each server charges for a volume from its own last look, or overwrites what another added.
test('two servers charge for each hour of a volume once, and for what each of them served', async () => {
  await using database = await createSharedDatabase();
  const clock = createFakeClock();
  const first = await database.open();
  await first.db
    .insertInto('accounts')
    .values({ id: ACCOUNT, name: 'a', plan: 'free', is_operator: 0, created_at: 0 })
    .execute();
  const volume = { account_id: ACCOUNT, name: 'data', storage_id: 'vol_1', size_bytes: 2 ** 30, object_count: 1 };
  await first.db
    .insertInto('volumes')
    .values({ ...volume, counted_at: 0, created_at: clock.nowMs() })
    .execute();
  const server = async () => {
    const opened = await database.open();
    const { db } = opened;
    const wall = createPausableClock();
    const meter = createUsageMeter({ store: createUsageStore(db), clock, logger, prices: DEFAULT_PRICE_BOOK });
    const leases = createLeases({ db, clock: wall, logger, cluster: database.join(opened, wall) });
    const storage = createStorageMeter({ db, clock, logger, meter, leases });
    return { meter, storage, close: opened.close };
  };
  const [a, b] = [await server(), await server()];
  for (let hour = 0; hour < 73; hour++) {
    clock.advance(HOUR_MS);
    // Both look at the same moments, at once and one after the other.
    await Promise.all([a.storage.look(), b.storage.look()]);
    await a.storage.look();
    for (const { meter } of [a, b]) meter.record({ account: ACCOUNT, resource: 'shop', sku: 'requests', amount: 1 });
    await Promise.all([a.meter.flush(), b.meter.flush()]);
  }
  const sums = await createUsageStore(first.db).sums(ACCOUNT, ALL);
  expect(sums.get('storage')?.amount).toBeCloseTo(0.1, 6);
  expect(sums.get('requests')?.amount).toBe(146);
  for (const { storage, meter, close } of [a, b]) {
    await storage.close();
    await meter.close();
    await close();
  }
  await first.close();
});
