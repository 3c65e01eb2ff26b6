import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFireTimes } from './fire-times.ts';

/** Fires after `from` until before `to`, as written in UTC. */
function fires(cron: string, timezone: string, from: string, to: string): string[] {
  const times = createFireTimes({ cron, timezone });
  const found: string[] = [];
  let at = times.after(Date.parse(from));
  while (at !== undefined && at < Date.parse(to)) {
    found.push(new Date(at).toISOString().slice(0, 16));
    at = times.after(at);
  }
  return found;
}

describe('an ordinary day', () => {
  it.each([
    ['0 5 * * *', 'UTC', ['2026-06-10T05:00']],
    ['0 5 * * *', 'Asia/Kolkata', ['2026-06-10T23:30']],
    ['30 23 * * *', 'America/St_Johns', ['2026-06-10T02:00']],
    ['0 */8 * * *', 'Pacific/Chatham', ['2026-06-10T03:15', '2026-06-10T11:15', '2026-06-10T19:15']],
    ['@daily', 'Europe/Oslo', ['2026-06-10T22:00']],
    ['0 0 10 * FRI', 'UTC', ['2026-06-10T00:00']],
    ['0 0 * * THU', 'UTC', []],
  ])('%s in %s', (cron, zone, expected) => {
    expect(fires(cron, zone, '2026-06-09T23:59:59Z', '2026-06-11T00:00Z')).toEqual(expected);
  });
});

// Holds the platform to the contract: verifies('cron.daylight-saving')
describe('a minute that is skipped', () => {
  it.each([
    // Source of each: IANA tz database.
    ['30 2 * * *', 'Europe/Oslo', '2026-03-29T00:00Z', '2026-03-29T01:00'],
    ['30 2 * * *', 'America/New_York', '2026-03-08T05:00Z', '2026-03-08T07:00'],
    ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T14:00Z', '2026-10-03T15:30'],
    ['30 0 * * *', 'America/Santiago', '2026-09-06T03:00Z', '2026-09-06T04:00'],
    ['0 12 30 12 *', 'Pacific/Apia', '2011-12-29T23:00Z', '2011-12-30T10:00'],
  ])('%s in %s fires at the jump', (cron, zone, from, expected) => {
    expect(fires(cron, zone, from, new Date(Date.parse(from) + 12 * 3_600_000).toISOString())).toEqual([expected]);
  });

  it('fires with all that are skipped beside it, and with one that is due then, as one', () => {
    expect(fires('*/20 * * * *', 'Europe/Oslo', '2026-03-29T00:30Z', '2026-03-29T01:30Z')).toEqual([
      '2026-03-29T00:40',
      '2026-03-29T01:00',
      '2026-03-29T01:20',
    ]);
    expect(fires('10,50 2 * * *', 'Europe/Oslo', '2026-03-29T00:00Z', '2026-03-29T12:00Z')).toEqual([
      '2026-03-29T01:00',
    ]);
  });
});

describe('a minute that is repeated', () => {
  it.each([
    ['30 2 * * *', 'Europe/Oslo', '2026-10-24T12:00Z', '2026-10-25T00:30'],
    ['30 1 * * *', 'America/New_York', '2026-11-01T00:00Z', '2026-11-01T05:30'],
    ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T02:00Z', '2026-04-04T14:45'],
    ['30 23 * * *', 'America/Santiago', '2026-04-04T20:00Z', '2026-04-05T02:30'],
    ['30 1 * * *', 'Antarctica/Troll', '2026-10-24T12:00Z', '2026-10-24T23:30'],
  ])('%s in %s fires the first time', (cron, zone, from, expected) => {
    expect(fires(cron, zone, from, new Date(Date.parse(from) + 20 * 3_600_000).toISOString())).toEqual([expected]);
  });

  it('also of a schedule that is due each half hour', () => {
    expect(fires('*/30 * * * *', 'Europe/Oslo', '2026-10-24T23:40Z', '2026-10-25T02:40Z')).toEqual([
      '2026-10-25T00:00',
      '2026-10-25T00:30',
      '2026-10-25T02:00',
      '2026-10-25T02:30',
    ]);
  });

  it('counts as passed while the clock shows it again', () => {
    const times = createFireTimes({ cron: '30 2 * * *', timezone: 'Europe/Oslo' });
    const again = Date.parse('2026-10-25T01:10Z');
    expect(new Date(times.latest(again, again - 86_400_000)).toISOString()).toBe('2026-10-25T00:30:00.000Z');
    expect(new Date(times.after(again) ?? 0).toISOString()).toBe('2026-10-26T01:30:00.000Z');
  });
});

describe('the newest that was missed', () => {
  it.each([
    ['* * * * *', '2020-01-01T00:00Z', '2026-06-10T12:34:56Z', '2026-06-10T12:34'],
    ['0 5 1 1 *', '2020-01-01T05:00Z', '2026-06-10T12:34:56Z', '2026-01-01T05:00'],
    ['0 0 29 2 *', '2024-02-29T00:00Z', '2026-06-10T12:34:56Z', '2024-02-29T00:00'],
    ['0 5 * * *', '2026-06-10T05:00Z', '2026-06-10T05:00Z', '2026-06-10T05:00'],
  ])('of %s', (cron, known, now, expected) => {
    const times = createFireTimes({ cron, timezone: 'UTC' });
    expect(new Date(times.latest(Date.parse(now), Date.parse(known))).toISOString().slice(0, 16)).toBe(expected);
  });
});

it('in every zone agrees with itself: latest(t) ≤ t < after(t), and no fire lies between', () => {
  const zones = ['UTC', 'Europe/Oslo', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Tehran', 'Antarctica/Troll'];
  const crons = ['*/7 * * * *', '30 2 * * *', '0 */3 * * *', '15 1 * * SUN', '@monthly'];
  const start = Date.UTC(2024, 0, 1);
  const instants = fc.integer({ min: 0, max: 3 * 366 * 1_440 });
  fc.assert(
    fc.property(fc.constantFrom(...zones), fc.constantFrom(...crons), instants, (timezone, cron, minutes) => {
      const times = createFireTimes({ cron, timezone });
      const now = start + minutes * 60_000 + 1_234;
      const known = times.after(now - 40 * 86_400_000) ?? Number.NaN;
      const latest = times.latest(now, known);
      const next = times.after(now) ?? Number.NaN;
      return latest <= now && now < next && times.after(latest) === next && times.after(latest - 1) === latest;
    }),
    { numRuns: 1_000 },
  );
});

it('does not know a zone that does not exist', () => {
  expect(() => createFireTimes({ cron: '* * * * *', timezone: 'Mars/Olympus' })).toThrow(RangeError);
});
