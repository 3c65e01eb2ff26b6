import { Cron } from 'croner';

/**
 * The minutes that match a cron expression, in wall time without a time zone. Wall time is represented as the epoch
 * milliseconds that have the same date and time in UTC.
 */
export interface CronPattern {
  /** Returns the first matching minute after `wallMs`; undefined when there is none. */
  next(wallMs: number): number | undefined;
}

/**
 * Parses five fields or a nickname such as `@daily`. When both day of month and weekday are given, either matches, as in
 * unix cron.
 * @throws TypeError or RangeError for an invalid expression
 */
export function createCronPattern(cron: string): CronPattern {
  // With an offset croner is fast: with a time zone it creates a DateTimeFormat for each date it tests.
  const job = new Cron(cron, { paused: true, mode: '5-part', domAndDow: false, utcOffset: 0 });
  return { next: (wallMs) => job.nextRun(new Date(wallMs))?.getTime() };
}
