import { Cron } from 'croner';

/**
 * The minutes that a cron expression names on a wall clock of no particular zone. Wall time is written as epoch
 * milliseconds that would show the same date and time in UTC.
 */
export interface CronPattern {
  /** The first minute after `wallMs`; undefined when there is none. */
  next(wallMs: number): number | undefined;
}

/**
 * Reads five fields or a nickname. Day of month and weekday, both given, mean either, as in unix cron.
 * @throws TypeError or RangeError for what croner can't read.
 */
export function createCronPattern(cron: string): CronPattern {
  // An offset: in a zone croner makes a DateTimeFormat for each date it looks at.
  const job = new Cron(cron, { paused: true, mode: '5-part', domAndDow: false, utcOffset: 0 });
  return { next: (wallMs) => job.nextRun(new Date(wallMs))?.getTime() };
}
