import { directionOf, type Language } from './languages.ts';
import { numberFormat } from './number-formats.ts';

/** Localized formats. Times are epoch milliseconds or RFC 3339 strings, shown in the browser's time zone. */
export interface Formats {
  number(value: number, options?: Intl.NumberFormatOptions): string;
  /** Formats bytes in units of 1024, e.g. `1.5 MiB`. */
  bytes(sizeBytes: number): string;
  /** Formats a length of time with a space before its unit: `18 ms`, `600 s`, `3 min`. */
  span(value: number, unit: SpanUnit, maximumFractionDigits?: number): string;
  /** Formats a date with its time to the minute. */
  time(at: number | string): string;
  /** Formats a date with its time to the second and the zone. */
  moment(at: number | string): string;
  /** Formats a time relative to now: `3 minutes ago`, `in 2 days`. */
  ago(at: number | string, nowMs: number): string;
}

/** Units of a length of time. */
type SpanUnit = 'ms' | 's' | 'min';

/** The symbols of the units. `Intl` writes some with a space, some without one, and seconds as "sec". */
const SPAN_UNITS: Readonly<Record<Language, Readonly<Record<SpanUnit, string>>>> = {
  en: { ms: 'ms', s: 's', min: 'min' },
  ar: { ms: 'ملي ث', s: 'ث', min: 'د' },
};
const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
const SPANS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, ms: number])[] = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];

export function createFormats(language: Language): Formats {
  const time = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  const moment = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'long' });
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const number: Formats['number'] = (value, options) => numberFormat(language, options).format(value);
  return {
    number,
    bytes(sizeBytes) {
      const power = sizeBytes < 1 ? 0 : Math.min(Math.floor(Math.log2(sizeBytes) / 10), BYTE_UNITS.length - 1);
      const text = `${number(sizeBytes / 1024 ** power, { maximumFractionDigits: power === 0 ? 0 : 1 })} ${BYTE_UNITS[power]}`;
      // Without the isolate, right-to-left text would put the unit before its number.
      return directionOf(language) === 'rtl' ? `\u2066${text}\u2069` : text;
    },
    span: (value, unit, maximumFractionDigits = 0) =>
      `${number(value, { maximumFractionDigits })} ${SPAN_UNITS[language][unit]}`,
    time: (at) => time.format(toMs(at)),
    moment: (at) => moment.format(toMs(at)),
    ago(at, nowMs) {
      const spanMs = toMs(at) - nowMs;
      const [unit, unitMs] = SPANS.find(([, ms]) => Math.abs(spanMs) >= ms) ?? (['second', 1_000] as const);
      return relative.format(Math.round(spanMs / unitMs), unit);
    },
  };
}

function toMs(at: number | string): number {
  return typeof at === 'number' ? at : Date.parse(at);
}
