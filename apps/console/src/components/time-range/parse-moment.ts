const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const SPAN = /(\d+(?:\.\d+)?)\s*([smhdw])/g;
const NOW_WORDS = ['now', 'الآن', 'الان'];
const DAY_WORDS: Readonly<Record<string, number>> = {
  ...{ today: 0, yesterday: 1 },
  ...{ اليوم: 0, أمس: 1, امس: 1 },
};
const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/;
const DATE = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;

/**
 * Parses a time as people write it. Returns epoch milliseconds; undefined for no valid time. Accepts `now`, `now-2h`, `-1h30m`, `2h`
 * (all before now), `14:00`, `yesterday`, `yesterday 14:00`, `2026-01-31`, `2026-01-31 14:00:05`, RFC 3339, and the Arabic
 * names of days. Times without a zone are in the browser's.
 */
export function parseMoment(text: string, nowMs: number): number | undefined {
  const written = toAsciiDigits(text).trim().toLowerCase().replaceAll(/\s+/g, ' ');
  if (written === '') return undefined;
  return parseBack(written, nowMs) ?? parseDayAndClock(written, nowMs) ?? parseRfc3339(written);
}

function parseBack(written: string, nowMs: number): number | undefined {
  if (NOW_WORDS.includes(written)) return nowMs;
  const word = NOW_WORDS.find((one) => written.startsWith(one)) ?? '';
  const span = written.slice(word.length).trim().replace(/^-/, '').replace(/ ago$/, '').trim();
  if (!/^(?:\d+(?:\.\d+)?\s*[smhdw]\s*)+$/.test(span)) return undefined;
  const spanMs = [...span.matchAll(SPAN)].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (UNIT_MS[unit] ?? 0),
    0,
  );
  return Math.round(nowMs - spanMs);
}

function parseDayAndClock(written: string, nowMs: number): number | undefined {
  const [first = '', second, ...more] = written.split(/ |(?<=^\d{4}-\d{1,2}-\d{1,2})t(?=\d{1,2}:\d{2}(?::\d{2})?$)/);
  if (more.length > 0) return undefined;
  const day = parseDay(first, nowMs);
  // A time without a day is today's.
  const clock = day ? second : first;
  const at = day ?? (second === undefined ? parseDay('today', nowMs) : undefined);
  if (!at) return undefined;
  if (clock === undefined) return at.getTime();
  const [, hour, minute, seconds = '0'] = CLOCK.exec(clock) ?? [];
  if (hour === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(seconds) > 59) return undefined;
  at.setHours(Number(hour), Number(minute), Number(seconds));
  return at.getTime();
}

/** Returns the first instant of the day. */
function parseDay(written: string, nowMs: number): Date | undefined {
  const daysBack = Object.hasOwn(DAY_WORDS, written) ? DAY_WORDS[written] : undefined;
  if (daysBack !== undefined) {
    const day = new Date(nowMs);
    day.setHours(0, 0, 0, 0);
    day.setDate(day.getDate() - daysBack);
    return day;
  }
  const [, year, month, date] = (DATE.exec(written) ?? []).map(Number);
  if (year === undefined || month === undefined || date === undefined) return undefined;
  const day = new Date(year, month - 1, date);
  // `Date` would turn February 30 into a day of March.
  return day.getMonth() === month - 1 && day.getDate() === date ? day : undefined;
}

function parseRfc3339(written: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\dt\d\d:\d\d(:\d\d(\.\d+)?)?(z|[+-]\d\d:\d\d)$/.test(written)) return undefined;
  const ms = Date.parse(written.toUpperCase());
  return Number.isNaN(ms) ? undefined : ms;
}

function toAsciiDigits(text: string): string {
  return text.replaceAll(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660));
}
