import { createCronPattern } from '@berth/contract/cron-pattern';

/**
 * The next times of a schedule as its own zone's clocks show them: epoch milliseconds that have the same date and time in
 * UTC. None for a zone or an expression that can't be read.
 */
export function nextRuns(cron: string, timezone: string, nowMs: number, count: number): number[] {
  const runs: number[] = [];
  try {
    const pattern = createCronPattern(cron);
    for (let wallMs = toWall(nowMs, timezone); runs.length < count; ) {
      const next = pattern.next(wallMs);
      if (next === undefined) break;
      runs.push(next);
      wallMs = next;
    }
  } catch {
    // Still being typed.
  }
  return runs;
}

function toWall(atMs: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short', timeStyle: 'medium', hour12: false });
  return Date.parse(`${format.format(atMs).replace(', ', 'T').replace('T24:', 'T00:')}Z`);
}
