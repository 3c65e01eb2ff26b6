import { createCronPattern } from '@berth/contract/cron-pattern';

/** Returns the next run times of a schedule in epoch milliseconds. Empty if the zone or the expression is invalid. */
export function nextRuns(cron: string, timezone: string, nowMs: number, count: number): number[] {
  const runs: number[] = [];
  try {
    const pattern = createCronPattern(cron);
    for (let wallMs = toWall(nowMs, timezone); runs.length < count; ) {
      const next = pattern.next(wallMs);
      if (next === undefined) break;
      runs.push(fromWall(next, timezone));
      wallMs = next;
    }
  } catch {
    // The expression is still being typed.
  }
  return runs;
}

/** Returns the wall-clock time of a zone, as epoch milliseconds that show the same date and time in UTC. */
function toWall(atMs: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short', timeStyle: 'medium', hour12: false });
  return Date.parse(`${format.format(atMs).replace(', ', 'T').replace('T24:', 'T00:')}Z`);
}

/** Inverse of {@link toWall}. The second step corrects the offset near a clock change. */
function fromWall(wallMs: number, timeZone: string): number {
  const guess = wallMs - (toWall(wallMs, timeZone) - wallMs);
  return guess - (toWall(guess, timeZone) - wallMs);
}
