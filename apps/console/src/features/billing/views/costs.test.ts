// @vitest-environment happy-dom
import { createError, type SqlRow } from '@berth/contract';
import { createElement } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openView } from '../../../testing/open-view.ts';
import { watchDownloads } from '../../../testing/watch-downloads.ts';
import { Costs } from './costs.tsx';

const SQL = 'POST /v1/sql';
type Answer = (query: string) => readonly SqlRow[] | Promise<readonly SqlRow[]>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-02-10T12:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

const open = (answer: Answer, language: 'en' | 'ar' = 'en') =>
  openView(createElement(Costs), {
    isPart: true,
    language,
    answers: { [SQL]: ({ body }) => answer(String(body['query'])) },
  });

/** The costs of two deployments, one of them with a comma in its name. */
const DAYS: readonly SqlRow[] = [
  { day: '2026-02-01', cost: '1.5', currency: 'USD' },
  { day: '2026-02-03', cost: 0.5, currency: 'USD' },
];
const NAMES: readonly SqlRow[] = [
  { deployment: 'shop', cost: 3, currency: 'USD' },
  { deployment: 'data, old', cost: 1, currency: 'USD' },
];
const both: Answer = (query) => (query.includes('AS "day"') ? DAYS : NAMES);

// Fails when the total isn't the sum, or the shares aren't those of the total.
test('the costs of the month are listed with their total', async () => {
  const page = await open(both);
  await page.until(() =>
    expect(page.rows('Costs')).toEqual([
      ['2026-02-01', '75%', '$1.50'],
      ['2026-02-03', '25%', '$0.50'],
      ['Total', '', '$2.00'],
    ]),
  );
  expect(page.calls[0]?.body['query']).toContain("'2026-02-01' AND usage_start_time < TIMESTAMPTZ '2026-03-01'");
});

// Fails when the plot, which is a picture, has no text; or its bars aren't those of all days of the month.
test('the plot has a bar for each day, and says what it shows', async () => {
  const page = await open(both);
  const plot = await page.until(() => page.pictures()[0] as { name: string; titles: string[] });
  expect(plot.name).toBe('Cost by day: $2.00 in total, highest on 2026-02-01 ($1.50)');
  expect(plot.titles).toHaveLength(28);
  expect(plot.titles.slice(0, 3)).toEqual(['2026-02-01: $1.50', '2026-02-02: $0.00', '2026-02-03: $0.50']);
});

// Fails when amounts of two currencies are added.
test('costs in two currencies have a total and a plot each', async () => {
  const page = await open(() => [
    { day: '2026-02-01', cost: 2, currency: 'USD' },
    { day: '2026-02-01', cost: 3, currency: 'EUR' },
  ]);
  await page.until(() => expect(page.rows('Costs')).toHaveLength(4));
  expect(page.rows('Costs').slice(2)).toEqual([
    ['Total', '', '$2.00'],
    ['Total', '', '€3.00'],
  ]);
  expect(page.rows('Costs').map((cells) => cells[1])).toEqual(['100%', '100%', '', '']);
  expect(page.pictures()).toHaveLength(2);
});

// Fails when the table of another group shows the rows of this one, or the file those of the group before.
test('another group is asked for, and is what the file has', async () => {
  const files = watchDownloads();
  const page = await open(both);
  await page.clickOn('By deployment');
  await page.until(() => expect(page.rows('Costs')[0]).toEqual(['shop', '75%', '$3.00']));
  expect(page.pictures()).toEqual([]);
  await page.clickOn('CSV');
  expect(files.map(({ name }) => name)).toEqual(['costs-2026-02-deployment.csv']);
  expect(await files[0]?.text).toBe('deployment,cost,currency\nshop,3,USD\n"data, old",1,USD\n');
});

// Fails when the month isn't part of the query or of the file’s name.
test('an earlier month is asked for', async () => {
  const files = watchDownloads();
  const page = await open((query) => (query.includes("'2025-12-01'") ? [{ ...DAYS[0], day: '2025-12-24' }] : DAYS));
  await page.choose('Month', 'December 2025');
  await page.until(() => expect(page.rows('Costs')[0]?.[0]).toBe('2025-12-24'));
  await page.clickOn('CSV');
  expect(files[0]?.name).toBe('costs-2025-12-day.csv');
  const [cli] = await page.copyCommands();
  expect(cli).toBe('npx berth cost --by day --month 2025-12');
});

// Fails when an empty month is a table, or a file without rows can be saved.
test('a month without costs says so', async () => {
  const page = await open(() => []);
  await page.until(() => expect(page.text()).toContain('No costs this month'));
  expect(page.text()).toContain('npx berth cost --month 2026-02');
  expect(page.control('CSV').disabled).toBe(true);
});

// Fails when an answer that failed looks like a month without costs.
test('costs that can’t be read say why, and are asked for again', async () => {
  let asked = 0;
  const page = await open(() => {
    if (++asked === 1) throw createError('unavailable', 'The logs are being moved.');
    return DAYS;
  });
  await page.until(() => expect(page.texts('alert')).toEqual(['The logs are being moved.Try again']));
  expect(page.text()).not.toContain('No costs this month');
  expect(page.control('CSV').disabled).toBe(true);
  await page.clickOn('Try again');
  await page.until(() => expect(page.rows('Costs')).toHaveLength(3));
});

// Fails when a credit is drawn as a bar of a negative height.
test('a month of credits alone has a table and no plot', async () => {
  const page = await open(() => [{ day: '2026-02-01', cost: -4, currency: 'USD' }]);
  await page.until(() => expect(page.rows('Costs')).toHaveLength(2));
  expect(page.rows('Costs')[0]).toEqual(['2026-02-01', '0%', '-$4.00']);
  expect(page.pictures()).toEqual([]);
});
