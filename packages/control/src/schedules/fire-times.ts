import { createCronPattern, type Schedule } from '@berth/contract';

/**
 * The instants at which a schedule fires. Source: docs/contract/control-plane.md §4.
 *
 * F1 A minute of the zone's wall clock that the schedule names fires at the instant it begins.
 * F2 A minute that is skipped when clocks go forward fires at the jump; all that are skipped together fire as one.
 * F3 A minute that is repeated when clocks go back fires the first time only.
 */
export interface FireTimes {
  /** The first fire after `nowMs` (epoch, as all times here); undefined when there is none. */
  after(nowMs: number): number | undefined;
  /** The newest fire at or before `nowMs`, given an earlier one, `knownMs`. */
  latest(nowMs: number, knownMs: number): number;
}

const MINUTE_MS = 60_000;
/** Longer than any zone ever set its clocks back. */
const DAY_MS = 24 * 3_600_000;

/** @throws RangeError for a time zone that this machine lacks; what croner throws for the expression. */
export function createFireTimes({ cron, timezone }: Schedule): FireTimes {
  const pattern = createCronPattern(cron);

  const at = (ms: number) => Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone);
  const offsetMs = (time: Temporal.ZonedDateTime) => time.offsetNanoseconds / 1e6;
  const wallMs = (time: Temporal.ZonedDateTime) => time.epochMilliseconds + offsetMs(time);
  // Throws for an unknown zone now instead of at the first use.
  at(0);

  /** The wall clock has shown every time before this one; it rises with `nowMs` also while the clock repeats an hour. */
  const reachedWallMs = (nowMs: number): number => {
    const now = at(nowMs);
    const shown = wallMs(now) + 1;
    if (offsetMs(at(nowMs - DAY_MS)) <= offsetMs(now)) return shown;
    const change = now.getTimeZoneTransition('previous');
    if (change === null) return shown;
    return Math.max(shown, wallMs(change.subtract({ nanoseconds: 1 })));
  };

  /** The instant at which a wall time first occurs, or of the jump that skips it. */
  const instantMs = (wall: number): number => {
    const plain = Temporal.Instant.fromEpochMilliseconds(wall).toZonedDateTimeISO('UTC').toPlainDateTime();
    // For a skipped time, `earlier` is an instant before the jump.
    const time = plain.toZonedDateTime(timezone, { disambiguation: 'earlier' });
    if (wallMs(time) === wall) return time.epochMilliseconds;
    return time.getTimeZoneTransition('next')?.epochMilliseconds ?? time.epochMilliseconds;
  };

  const next = (wall: number): number | undefined => {
    const found = pattern.next(wall);
    return found === undefined ? undefined : instantMs(found);
  };

  return {
    after: (nowMs) => next(reachedWallMs(nowMs) - 1),
    latest(nowMs, knownMs) {
      const endMs = reachedWallMs(nowMs);
      const beginMs = wallMs(at(knownMs)) - DAY_MS;
      // The newest fire is usually near, so the search starts close to the end and doubles its span.
      for (let spanMs = MINUTE_MS; endMs - spanMs > beginMs; spanMs *= 2) {
        let latest: number | undefined;
        let wall = pattern.next(endMs - spanMs - 1);
        while (wall !== undefined && wall < endMs) {
          latest = wall;
          wall = pattern.next(wall);
        }
        if (latest !== undefined) return Math.max(knownMs, instantMs(latest));
      }
      return knownMs;
    },
  };
}
