/**
 * Times of the log: RFC 3339 in UTC with exactly nine digits of fraction, so that the order of the text is the order
 * of time. Years 0000 to 9999.
 */

const NANOS_PER_MS = 1_000_000;
const EARLIEST = '0000-01-01T00:00:00.000000000Z';
const LATEST = '9999-12-31T23:59:59.999999999Z';
const EARLIEST_MS = Date.parse('0000-01-01T00:00:00.000Z');
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/** `ms` since the epoch and `nanos` (0 to 999,999) within it, as a timestamp of the log. */
export function formatTimestamp(ms: number, nanos: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}${String(nanos).padStart(6, '0')}Z`;
}

/** Nanoseconds since the epoch, from 1970 on, as a timestamp of the log. */
export function timestampOfNanos(nanos: bigint): string {
  return formatTimestamp(Number(nanos / 1_000_000n), Number(nanos % 1_000_000n));
}

/**
 * Any RFC 3339 time as a timestamp of the log: the offset is resolved, the fraction brought to nine digits (further
 * ones are cut), a leap second is the second after it. Times outside the years 0000 to 9999 become the nearest inside.
 * @throws RangeError when `text` is no RFC 3339 time.
 */
export function normalizeTimestamp(text: string): string {
  const match = RFC3339.exec(text);
  if (!match) throw new RangeError(`"${text}" is not an RFC 3339 time`);
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHour, offsetMinute] = match;
  const offsetMs = (Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0)) * 60_000;
  // Not Date.UTC: it takes the years 0 to 99 for 1900 to 1999.
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  date.setUTCHours(Number(hour), Number(minute), Number(second));
  const ms = date.getTime() + (sign === '-' ? offsetMs : -offsetMs);
  if (ms < EARLIEST_MS) return EARLIEST;
  if (ms > LATEST_MS) return LATEST;
  return `${new Date(ms).toISOString().slice(0, 20)}${fraction.slice(0, 9).padEnd(9, '0')}Z`;
}

/** Milliseconds since the epoch of a timestamp of the log, cut to the millisecond. */
export function timestampMs(timestamp: string): number {
  return Date.parse(`${timestamp.slice(0, 23)}Z`);
}

/** Hands out timestamps of one log, each later than the one before. */
export interface TimestampSequence {
  /** The timestamp handed out last, or what the sequence was started after. */
  readonly last: string | undefined;
  /**
   * A timestamp at `timeMs`, or 1 ns after the last one where the clock stood still or went back. A time that is not
   * finite or outside the years 0000 to 9999 counts as the last one's.
   */
  next(timeMs: number): string;
}

/** A sequence that goes on after `last`. */
export function createTimestampSequence(last?: string): TimestampSequence {
  let ms = last === undefined ? Number.NEGATIVE_INFINITY : timestampMs(last);
  let nanos = last === undefined ? 0 : Number(last.slice(23, 29));
  let prefix = last?.slice(0, 23) ?? '';
  let latest = last;

  function moveTo(nextMs: number): void {
    ms = nextMs;
    nanos = 0;
    prefix = new Date(ms).toISOString().slice(0, 23);
  }

  return {
    get last() {
      return latest;
    },
    next(timeMs) {
      const wantedMs = Math.floor(timeMs);
      if (wantedMs > ms && wantedMs >= EARLIEST_MS && wantedMs <= LATEST_MS) moveTo(wantedMs);
      else if (ms === Number.NEGATIVE_INFINITY) moveTo(0);
      else if (++nanos === NANOS_PER_MS) moveTo(ms + 1);
      latest = `${prefix}${nanos === 0 ? '000000' : String(nanos).padStart(6, '0')}Z`;
      return latest;
    },
  };
}
