import { expect, test } from 'vitest';
import { costQuery, daysOf, lastMonths } from './cost-query.ts';
import { fillDays, shareOf, toCostRows, toCsvRows, totalsOf } from './cost-rows.ts';

test('lists months across a year boundary, with their days', () => {
  expect(lastMonths(Date.UTC(2026, 1, 28, 23), 3)).toEqual(['2026-02', '2026-01', '2025-12']);
  expect(daysOf('2028-02')).toHaveLength(29);
  expect([daysOf('2026-12')[0], daysOf('2026-12').at(-1)]).toEqual(['2026-12-01', '2026-12-31']);
});

test('the query covers one month and rejects an invalid one', () => {
  expect(costQuery('day', '2025-12')).toContain(
    "usage_start_time >= TIMESTAMPTZ '2025-12-01' AND usage_start_time < TIMESTAMPTZ '2026-01-01'",
  );
  expect(() => costQuery('sku', "2025-12'; --")).toThrow(RangeError);
});

test('totals costs per currency and includes days without costs', () => {
  const rows = toCostRows('day', [
    { day: '2026-02-01', cost: '0.5', currency: 'USD' },
    { day: '2026-02-03', cost: 1, currency: 'USD' },
    { day: '2026-02-03', cost: 2, currency: 'EUR' },
  ]);
  expect(totalsOf(rows)).toEqual([
    { name: '', cost: 1.5, currency: 'USD' },
    { name: '', cost: 2, currency: 'EUR' },
  ]);
  const days = fillDays('2026-02', rows, 'USD');
  expect(days).toHaveLength(28);
  expect(days.slice(0, 3).map(({ cost }) => cost)).toEqual([0.5, 0, 1]);
  expect(rows.map((row) => shareOf(row, rows))).toEqual([1 / 3, 2 / 3, 1]);
  expect(toCsvRows('day', rows)[0]).toEqual({ day: '2026-02-01', cost: 0.5, currency: 'USD' });
});
