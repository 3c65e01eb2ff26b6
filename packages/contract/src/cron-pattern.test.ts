import { expect, test } from 'vitest';
import { createCronPattern } from './cron-pattern.ts';

/** The first times after `from`, without a time zone. */
function times(cron: string, from: string, count = 3): string[] {
  const pattern = createCronPattern(cron);
  const found: string[] = [];
  for (let wallMs = Date.parse(`${from}Z`); found.length < count; ) {
    const next = pattern.next(wallMs);
    if (next === undefined) break;
    found.push(new Date(next).toISOString().slice(0, 16));
    wallMs = next;
  }
  return found;
}

// Fails when the minute that is asked from counts: a run would be started twice.
test('the next minute is always a later one', () => {
  expect(times('* * * * *', '2026-01-31T23:58')).toEqual(['2026-01-31T23:59', '2026-02-01T00:00', '2026-02-01T00:01']);
  expect(times('0 5 * * *', '2026-01-31T05:00', 1)).toEqual(['2026-02-01T05:00']);
  expect(times('0 5 * * *', '2026-01-31T04:59:59', 1)).toEqual(['2026-01-31T05:00']);
});

// Fails when the two are joined with "and", as croner does by itself: the schedule would run a few times a year.
test('a day of the month and a weekday match alike, as in unix cron', () => {
  // 2026-01-02 is a Friday, and the 13th a Tuesday.
  expect(times('0 0 13 * 5', '2026-01-01T00:00')).toEqual(['2026-01-02T00:00', '2026-01-09T00:00', '2026-01-13T00:00']);
});

test('months have their length, and a day that no year has is never', () => {
  expect(times('0 0 31 * *', '2026-01-31T00:00')).toEqual(['2026-03-31T00:00', '2026-05-31T00:00', '2026-07-31T00:00']);
  expect(times('0 0 29 2 *', '2026-01-01T00:00', 1)).toEqual(['2028-02-29T00:00']);
  expect(times('0 0 31 2 *', '2026-01-01T00:00')).toEqual([]);
});

// Fails when a sixth field is taken: "every minute" would become every second.
test.each(['', '* * * *', '* * * * * *', '60 * * * *', '* 24 * * *', '* * 0 * *', 'often', '*/0 * * * *'])(
  '%j is refused',
  (cron) => {
    expect(() => createCronPattern(cron)).toThrow();
  },
);
