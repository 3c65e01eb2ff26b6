import { Untranslatable } from './sql-error.ts';
import {
  call,
  castTo,
  columnNames,
  constantValue,
  functionCall,
  integerConstant,
  isNode,
  numberConstant,
  type SqlNode,
  textConstant,
} from './sql-tree.ts';
import { formatTime, parseTime } from './time-patterns.ts';

type Args = readonly unknown[];
type Translation = (args: Args, node: SqlNode) => SqlNode | undefined;
/**
 * Least and most arguments, and the translation of the call. Undefined: with these arguments, DuckDB's own meaning
 * holds.
 */
export type Entry = readonly [least: number, most: number, translation: Translation];

type Kind = 'TIMESTAMP' | 'DATETIME' | 'DATE' | 'TIME';
const TYPES: Readonly<Record<Kind, string>> = {
  TIMESTAMP: 'TIMESTAMP WITH TIME ZONE',
  DATETIME: 'TIMESTAMP',
  DATE: 'DATE',
  TIME: 'TIME',
};

/** Functions of dates and times. Source: GoogleSQL, date, datetime, time and timestamp functions. */
export const TIME_FUNCTIONS: Readonly<Record<string, Entry>> = {
  current_timestamp: [0, 0, () => call('now', [])],
  current_date: [0, 1, ([zone]) => castTo('DATE', inZone(call('now', []), zone))],
  current_datetime: [0, 1, ([zone]) => inZone(call('now', []), zone ?? textConstant('UTC'))],
  current_time: [0, 1, ([zone]) => castTo('TIME', inZone(call('now', []), zone ?? textConstant('UTC')))],
  warehouse_timestamp: [1, 2, ([value, zone]) => (zone === undefined ? as('TIMESTAMP', value) : ofZone(value, zone))],
  warehouse_date: [1, 3, toDate],
  warehouse_datetime: [1, 6, toDatetime],
  warehouse_time: [1, 3, toTime],
  timestamp_add: [2, 2, (args) => shift('+', 'TIMESTAMP', args)],
  timestamp_sub: [2, 2, (args) => shift('-', 'TIMESTAMP', args)],
  datetime_add: [2, 2, (args) => shift('+', 'DATETIME', args)],
  datetime_sub: [2, 2, (args) => shift('-', 'DATETIME', args)],
  time_add: [2, 2, (args) => shift('+', 'TIME', args)],
  time_sub: [2, 2, (args) => shift('-', 'TIME', args)],
  // With the name of a part first, it is DuckDB's.
  date_add: [2, 3, (args) => (args.length === 2 ? castTo('DATE', shift('+', 'DATE', args)) : undefined)],
  date_sub: [2, 3, (args) => (args.length === 2 ? castTo('DATE', shift('-', 'DATE', args)) : undefined)],
  timestamp_trunc: [2, 3, (args) => truncate('TIMESTAMP', args)],
  datetime_trunc: [2, 2, (args) => truncate('DATETIME', args)],
  time_trunc: [2, 2, (args) => truncateTime(args)],
  date_trunc: [2, 3, truncateDate],
  timestamp_diff: [3, 3, elapsed],
  datetime_diff: [3, 3, (args) => boundaries('DATETIME', args)],
  time_diff: [3, 3, (args) => boundaries('TIME', args)],
  date_diff: [3, 3, (args) => boundaries('DATE', args)],
  last_day: [1, 2, ([date, part]) => lastDay(date, part)],
  date_part: [2, 2, extractPart],
  format_timestamp: [2, 3, ([pattern, time, zone]) => format('FORMAT_TIMESTAMP', 'TIMESTAMP', pattern, time, zone)],
  format_datetime: [2, 2, ([pattern, time]) => format('FORMAT_DATETIME', 'DATETIME', pattern, time)],
  format_date: [2, 2, ([pattern, time]) => format('FORMAT_DATE', 'DATE', pattern, time)],
  format_time: [
    2,
    2,
    ([pattern, time]) =>
      format('FORMAT_TIME', 'DATETIME', pattern, call('+', [castTo('DATE', textConstant('1970-01-01')), time], true)),
  ],
  parse_timestamp: [2, 3, ([pattern, text, zone]) => ofZone(parseTime('PARSE_TIMESTAMP', pattern, text), zone)],
  parse_datetime: [2, 2, ([pattern, text]) => as('DATETIME', parseTime('PARSE_DATETIME', pattern, text))],
  parse_date: [2, 2, ([pattern, text]) => as('DATE', parseTime('PARSE_DATE', pattern, text))],
  parse_time: [2, 2, ([pattern, text]) => as('TIME', parseTime('PARSE_TIME', pattern, text))],
  timestamp_seconds: [1, 1, ([seconds]) => call('to_timestamp', [seconds])],
  timestamp_millis: [1, 1, ([millis]) => call('to_timestamp', [call('/', [millis, numberConstant(1_000)], true)])],
  timestamp_micros: [1, 1, ([micros]) => as('TIMESTAMP', call('make_timestamp', [castTo('BIGINT', micros)]))],
  unix_seconds: [1, 1, ([time]) => castTo('BIGINT', call('floor', [call('epoch', [moment(time)])]))],
  unix_millis: [1, 1, ([time]) => call('epoch_ms', [moment(time)])],
  unix_micros: [1, 1, ([time]) => call('epoch_us', [moment(time)])],
  unix_date: [1, 1, ([date]) => call('date_diff', [textConstant('day'), EPOCH, as('DATE', date)])],
  date_from_unix_date: [1, 1, ([days]) => castTo('DATE', call('+', [EPOCH, castTo('INTEGER', days)], true))],
  timestamp_bucket: [2, 3, (args) => bucket('TIMESTAMP', args)],
  datetime_bucket: [2, 3, (args) => bucket('DATETIME', args)],
  date_bucket: [2, 3, (args) => castTo('DATE', bucket('DATE', args))],
};

const EPOCH = castTo('DATE', textConstant('1970-01-01'));

function as(kind: Kind, value: unknown): SqlNode {
  return castTo(TYPES[kind], value);
}

/** A text in place of a time is parsed as one of that kind. */
function coerce(kind: Kind, value: unknown): unknown {
  return typeof constantValue(value) === 'string' ? as(kind, value) : value;
}

function moment(value: unknown): unknown {
  return coerce('TIMESTAMP', value);
}

/** Returns the local time of a timestamp in a zone; without a zone, the timestamp. */
function inZone(time: unknown, zone: unknown): SqlNode {
  return zone === undefined ? (time as SqlNode) : call('timezone', [zoneName(zone), as('TIMESTAMP', time)]);
}

/** Returns the timestamp of a local time in a zone; UTC by default. */
function ofZone(time: unknown, zone: unknown): SqlNode {
  return zone === undefined ? as('TIMESTAMP', time) : call('timezone', [zoneName(zone), as('DATETIME', time)]);
}

/** Translates a zone that is an offset; only whole hours have a DuckDB name. POSIX counts them westward. */
function zoneName(zone: unknown): unknown {
  const text = constantValue(zone);
  const offset = typeof text === 'string' ? /^(?:UTC)?([+-])(\d{1,2})(?::?(\d\d))?$/.exec(text) : null;
  if (!offset) return zone;
  const [, sign, hours, minutes = '00'] = offset;
  if (minutes !== '00' || Number(hours) > 12) {
    throw new Untranslatable('A time zone offset must be whole hours up to 12. Use its name: Asia/Kolkata.', zone);
  }
  return textConstant(`Etc/GMT${sign === '+' ? '-' : '+'}${Number(hours)}`);
}

function toDate(args: Args): SqlNode {
  const [first, second] = args;
  if (args.length === 3) return call('make_date', args);
  return as('DATE', inZone(args.length === 1 ? coerce('DATE', first) : first, second));
}

function toDatetime(args: Args, node: SqlNode): SqlNode {
  const [first, second] = args;
  if (args.length === 6)
    return call(
      'make_timestamp',
      args.map((one, index) => (index === 5 ? castTo('DOUBLE', one) : one)),
    );
  if (args.length === 1) return as('DATETIME', first);
  if (args.length > 2) throw new Untranslatable('DATETIME takes 1, 2 or 6 arguments.', node);
  if (typeof constantValue(second) === 'string') return inZone(first, second);
  return call('+', [as('DATE', first), as('TIME', second)], true);
}

function toTime(args: Args): SqlNode {
  const [first, second] = args;
  if (args.length === 3)
    return call(
      'make_time',
      args.map((one, index) => (index === 2 ? castTo('DOUBLE', one) : one)),
    );
  return as('TIME', inZone(first, second));
}

function shift(operator: '+' | '-', kind: Kind, [time, interval]: Args): SqlNode {
  return call(operator, [coerce(kind, time), interval], true);
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/**
 * Returns a date part, which the warehouse writes without quotes, in lower case; `WEEK(MONDAY)` is `week_monday`;
 * undefined for anything else.
 */
function partOf(node: unknown): string | undefined {
  const names = columnNames(node);
  if (names?.length === 1) return names[0]?.toLowerCase();
  const week = functionCall(node);
  const day = week?.name === 'week' && week.args.length === 1 ? partOf(week.args[0]) : undefined;
  return day === undefined ? undefined : `week_${day}`;
}

/**
 * Returns how many days before Monday, the first day of DuckDB's weeks, a week of this part begins; undefined when it
 * is not a week.
 */
function daysBeforeMonday(part: string): number | undefined {
  if (part === 'isoweek') return 0;
  const day = part === 'week' ? 0 : WEEKDAYS.indexOf(part.replace(/^week_/, ''));
  return part.startsWith('week') && day !== -1 ? (8 - day) % 7 : undefined;
}

function days(count: number): SqlNode {
  return call('to_days', [integerConstant(count)]);
}

function truncated(part: string, time: unknown): SqlNode {
  const before = daysBeforeMonday(part);
  if (before === undefined) return call('date_trunc', [textConstant(part), time]);
  const trunc = (value: unknown) => call('date_trunc', [textConstant('week'), value]);
  return before === 0 ? trunc(time) : call('-', [trunc(call('+', [time, days(before)], true)), days(before)], true);
}

function truncate(kind: Kind, [time, partNode, zone]: Args): SqlNode | undefined {
  const part = partOf(partNode);
  if (part === undefined) return undefined;
  if (zone === undefined) return truncated(part, coerce(kind, time));
  return ofZone(truncated(part, inZone(moment(time), zone)), zone);
}

function truncateTime([time, partNode]: Args): SqlNode | undefined {
  const part = partOf(partNode);
  if (part === undefined) return undefined;
  const day = call('+', [EPOCH, coerce('TIME', time)], true);
  return as('TIME', call('date_trunc', [textConstant(part), day]));
}

const TIMESTAMP_COLUMNS = new Set(['timestamp', 'usage_start_time', 'usage_end_time']);

/**
 * DATE_TRUNC returns the type of its argument: for a timestamp, a timestamp. An argument of unknown type is taken for a
 * date.
 */
function truncateDate(args: Args): SqlNode | undefined {
  const [time, partNode, zone] = args;
  const kept = truncate('DATE', [time, partNode, zone]);
  const part = partOf(partNode) ?? '';
  const isTimestamp =
    zone !== undefined ||
    TIMESTAMP_COLUMNS.has(columnNames(time)?.at(-1)?.toLowerCase() ?? '') ||
    functionCall(time)?.name === 'now' ||
    (isNode(time) && time['class'] === 'CAST' && String((time['cast_type'] as SqlNode)['id']).startsWith('TIMESTAMP'));
  const isShort = ['hour', 'minute', 'second', 'millisecond', 'microsecond'].includes(part);
  return kept === undefined || isTimestamp || isShort ? kept : castTo('DATE', kept);
}

const ELAPSED = new Set(['microsecond', 'millisecond', 'second', 'minute', 'hour', 'day']);

/** Returns the number of whole parts between two times. */
function elapsed([later, earlier, partNode]: Args): SqlNode | undefined {
  const part = partOf(partNode);
  if (part === undefined) return undefined;
  if (!ELAPSED.has(part)) {
    throw new Untranslatable(
      `TIMESTAMP_DIFF counts ${[...ELAPSED].join(', ')}; use DATE_DIFF for longer parts.`,
      partNode,
    );
  }
  return call('date_sub', [textConstant(part), moment(earlier), moment(later)]);
}

/** Returns the number of boundaries of a part between two times. */
function boundaries(kind: Kind, [later, earlier, partNode]: Args): SqlNode | undefined {
  const part = partOf(partNode);
  if (part === undefined) return undefined;
  const [from, until] = [coerce(kind, earlier), coerce(kind, later)];
  if (daysBeforeMonday(part) === undefined) return call('date_diff', [textConstant(part), from, until]);
  const between = call('date_diff', [textConstant('day'), truncated(part, from), truncated(part, until)]);
  return call('//', [between, integerConstant(7)], true);
}

function lastDay(date: unknown, partNode: unknown): SqlNode {
  const part = partNode === undefined ? 'month' : (partOf(partNode) ?? '');
  const given = coerce('DATE', date);
  const lengths: Readonly<Record<string, SqlNode>> = {
    month: call('to_months', [integerConstant(1)]),
    quarter: call('to_months', [integerConstant(3)]),
    year: call('to_months', [integerConstant(12)]),
  };
  const length = Object.hasOwn(lengths, part)
    ? lengths[part]
    : daysBeforeMonday(part) === undefined
      ? undefined
      : days(7);
  if (length === undefined) throw new Untranslatable(`LAST_DAY cannot use ${part.toUpperCase()} here.`, partNode);
  return castTo('DATE', call('-', [call('+', [truncated(part, given), length], true), days(1)], true));
}

/**
 * Translates EXTRACT. Parts that DuckDB has with another meaning come from translate-text.ts with a name of their own.
 */
function extractPart([partNode, time]: Args): SqlNode | undefined {
  const given = constantValue(partNode);
  if (typeof given !== 'string' || !given.startsWith('warehouse_')) return undefined;
  const part = given.slice('warehouse_'.length);
  const engine = (name: string) => call('date_part', [textConstant(name), time]);
  const plus = (node: SqlNode, operator: string, count: number) => call(operator, [node, integerConstant(count)], true);
  if (part === 'dayofweek') return plus(engine('dow'), '+', 1);
  if (part === 'millisecond') return plus(engine('millisecond'), '%', 1_000);
  if (part === 'microsecond') return plus(engine('microsecond'), '%', 1_000_000);
  if (part === 'isoweek') return engine('week');
  if (part === 'date' || part === 'time' || part === 'datetime') return as(part.toUpperCase() as Kind, time);
  const day = part === 'week' ? 0 : WEEKDAYS.indexOf(part.replace(/^week_/, ''));
  // Days before the year's first such weekday are in week 0: (day of the year + 6 - days since that weekday) / 7.
  const since = plus(plus(engine('dow'), '+', 7 - day), '%', 7);
  return plus(call('-', [plus(engine('doy'), '+', 6), since], true), '//', 7);
}

function format(name: string, kind: Kind, pattern: unknown, time: unknown, zone?: unknown): SqlNode {
  const given = coerce(kind, time);
  return formatTime(
    name,
    pattern,
    inZone(given, zone),
    kind === 'TIMESTAMP' && (zone === undefined || constantValue(zone) === 'UTC'),
  );
}

/** Buckets count from 1950, unless an origin is given. */
function bucket(kind: Kind, [time, interval, origin]: Args): SqlNode {
  return call('time_bucket', [interval, coerce(kind, time), as(kind, origin ?? textConstant('1950-01-01'))]);
}
