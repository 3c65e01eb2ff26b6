import { describe, expect, test } from 'vitest';
import { nextRuns } from './next-runs.ts';

/** Returns the next runs as the wall clock of the zone shows them. */
function wallsOf(cron: string, zone: string, now: string, count = 3): string[] {
  const format = (ms: number) =>
    new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' }).format(ms);
  return nextRuns(cron, zone, Date.parse(now), count).map((ms) => format(ms).replace(' ', 'T'));
}

describe('the next runs', () => {
  // Fails when they are counted in the browser's zone or in UTC.
  test.each([
    ['UTC', ['2026-01-01T04:00', '2026-01-02T04:00', '2026-01-03T04:00']],
    ['Asia/Dubai', ['2026-01-02T04:00', '2026-01-03T04:00', '2026-01-04T04:00']],
    ['America/New_York', ['2026-01-01T04:00', '2026-01-02T04:00', '2026-01-03T04:00']],
  ])('of 04:00 are in the time of %s', (zone, walls) => {
    expect(wallsOf('0 4 * * *', zone, '2026-01-01T03:30:00Z')).toEqual(walls);
  });

  // Browsers may write the hour of midnight as 24.
  test('are known at midnight', () => {
    expect(wallsOf('15 0 * * *', 'UTC', '2026-01-01T00:05:00Z', 1)).toEqual(['2026-01-01T00:15']);
    expect(wallsOf('15 0 * * *', 'Europe/Berlin', '2025-12-31T23:00:00Z', 1)).toEqual(['2026-01-01T00:15']);
  });

  // Fails when the time that it is now counts as a next run.
  test('begin after now', () => {
    expect(wallsOf('0 4 * * *', 'UTC', '2026-01-01T04:00:00Z', 1)).toEqual(['2026-01-02T04:00']);
  });

  test('keep their hour across a change of the clock', () => {
    expect(wallsOf('30 9 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z')).toEqual([
      '2026-03-29T09:30',
      '2026-03-30T09:30',
      '2026-03-31T09:30',
    ]);
  });

  // Fails when a run is shown in another zone an hour off.
  test('are instants, before and after a change of the clock', () => {
    const runs = nextRuns('30 9 * * *', 'Europe/Berlin', Date.parse('2026-03-27T12:00:00Z'), 2);
    expect(runs.map((ms) => new Date(ms).toISOString())).toEqual([
      '2026-03-28T08:30:00.000Z',
      '2026-03-29T07:30:00.000Z',
    ]);
  });

  // Fails when a form in which one still types throws, or goes on looking for good.
  test.each([
    ['', 'UTC'],
    ['0 4 *', 'UTC'],
    ['61 4 * * *', 'UTC'],
    ['0 4 31 2 *', 'UTC'],
    ['0 4 * * *', 'Mars/Olympus'],
    ['0 4 * * *', ''],
  ])('of %j in the zone %j are none', (cron, zone) => {
    expect(wallsOf(cron, zone, '2026-01-01T00:00:00Z')).toEqual([]);
  });
});
