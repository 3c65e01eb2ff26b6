import { type AccountId, createSilentLogger } from '@berth/kit';
import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import { DEFAULT_PRICE_BOOK } from './price-book.ts';
import { createUsageMeter } from './usage-meter.ts';
import type { UsageRow } from './usage-store.ts';

const ALICE = 'acc_alice' as AccountId;
const NOON = Date.parse('2026-03-01T12:00:00Z');

function createMeter(add: (rows: readonly UsageRow[]) => Promise<void>, startMs = NOON) {
  const clock = createFakeClock(startMs);
  const store = { add, list: async () => [], sums: async () => new Map() };
  const prices = { ...DEFAULT_PRICE_BOOK, prices: { ...DEFAULT_PRICE_BOOK.prices, requests: 0.5 } };
  return { clock, meter: createUsageMeter({ store, clock, logger: createSilentLogger(), prices }) };
}

test('adds up and writes a row for each resource, SKU and UTC day, priced', async () => {
  const written: UsageRow[] = [];
  const { clock, meter } = createMeter(async (rows) => void written.push(...rows), Date.parse('2026-03-01T23:59:58Z'));
  const use = { account: ALICE, resource: 'shop', sku: 'requests' } as const;
  meter.record({ ...use, amount: 1 });
  meter.record({ ...use, amount: 2 });
  await clock.elapse(4_000);
  meter.record({ ...use, amount: 1 });
  await clock.elapse(5_000);
  const row = { account: ALICE, resource: 'shop', sku: 'requests', currency: 'USD' };
  expect(written).toEqual([
    { ...row, day: '2026-03-01', amount: 3, cost: 1.5 },
    { ...row, day: '2026-03-02', amount: 1, cost: 0.5 },
  ]);
  await clock.elapse(60_000);
  expect(written).toHaveLength(2);
});

test('M1: keeps what cannot be written, and writes it once when it can', async () => {
  const written: UsageRow[] = [];
  let isBroken = true;
  const { clock, meter } = createMeter(async (rows) => {
    if (isBroken) throw new Error('disk full');
    written.push(...rows);
  });
  meter.record({ account: ALICE, resource: 'shop', sku: 'build', amount: 2 });
  await clock.elapse(11_000);
  await expect(meter.flush()).rejects.toThrow('disk full');
  isBroken = false;
  meter.record({ account: ALICE, resource: 'shop', sku: 'build', amount: 3 });
  await meter.close();
  await meter.close();
  expect(written.map(({ amount }) => amount)).toEqual([5]);
});

test('records nothing of nothing', async () => {
  const written: UsageRow[] = [];
  const { meter } = createMeter(async (rows) => void written.push(...rows));
  meter.record({ account: ALICE, resource: 'shop', sku: 'egress', amount: 0 });
  await meter.close();
  expect(written).toEqual([]);
});
