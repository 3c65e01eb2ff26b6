/**
 * Timestamps of the log are RFC 3339 in UTC with exactly nine fractional digits, so that they sort as text. Years 0000
 * to 9999.
 */

const NANOS_PER_MS = 1_000_000;
const EARLIEST = '0000-01-01T00:00:00.000000000Z';
const LATEST = '9999-12-31T23:59:59.999999999Z';
const EARLIEST_MS = Date.parse('0000-01-01T00:00:00.000Z');
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/** Returns the timestamp of `ms` since the epoch plus `nanos` (0 to 999,999). */
export function formatTimestamp(ms: number, nanos: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}${String(nanos).padStart(6, '0')}Z`;
}

/** Returns the timestamp of nanoseconds since the epoch, from 1970 on. */
export function timestampOfNanos(nanos: bigint): string {
  return formatTimestamp(Number(nanos / 1_000_000n), Number(nanos % 1_000_000n));
}

/**
 * Returns any RFC 3339 time as a timestamp of the log: in UTC, with nine fractional digits (further ones are cut). A
 * leap second becomes the second after it. Times outside the years 0000 to 9999 are clamped to them.
 * @throws RangeError when `text` is not an RFC 3339 time.
 */
export function normalizeTimestamp(text: string): string {
  const match = RFC3339.exec(text);
  if (!match) throw new RangeError(`"${text}" is not an RFC 3339 time`);
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHour, offsetMinute] = match;
  const offsetMs = (Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0)) * 60_000;
  // Date.UTC maps the years 0 to 99 to 1900 to 1999.
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  date.setUTCHours(Number(hour), Number(minute), Number(second));
  const ms = date.getTime() + (sign === '-' ? offsetMs : -offsetMs);
  if (ms < EARLIEST_MS) return EARLIEST;
  if (ms > LATEST_MS) return LATEST;
  return `${new Date(ms).toISOString().slice(0, 20)}${fraction.slice(0, 9).padEnd(9, '0')}Z`;
}

/** Returns the milliseconds since the epoch of a timestamp of the log, rounded down. */
export function timestampMs(timestamp: string): number {
  return Date.parse(`${timestamp.slice(0, 23)}Z`);
}

/** Issues the timestamps of one log, each later than the previous one. */
export interface TimestampSequence {
  /** The timestamp issued last, or the one that the sequence started after. */
  readonly last: string | undefined;
  /**
   * Returns the timestamp of `timeMs`, or 1 ns after the last one when the clock stood still or went back. A time that
   * is not finite, or is outside the years 0000 to 9999, counts as the time of the last one.
   */
  next(timeMs: number): string;
}

/** Creates a sequence whose first timestamp is later than `last`. */
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
