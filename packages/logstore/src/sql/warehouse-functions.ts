import { regexpGroup } from './regexp-group.ts';
import { queryError } from './sql-error.ts';
import {
  call,
  castTo,
  columnNames,
  constantValue,
  functionCall,
  integerConstant,
  numberConstant,
  type SqlNode,
  textConstant,
} from './sql-tree.ts';

import { DAY_OF_WEEK } from './translate-text.ts';

type Args = readonly unknown[];
type Translation = (args: Args) => SqlNode | undefined;

/**
 * Functions of the warehouse, by name, and what they are here. Undefined: these arguments have the engine's own meaning.
 * Source: the warehouse's function reference (BigQuery, GoogleSQL), and the engine's.
 */
const FUNCTIONS: Readonly<Record<string, Translation>> = {
  json_value: ([json, path]) => call('warehouse_json_value', [json, path ?? textConstant('$')]),
  json_extract_scalar: ([json, path]) => call('warehouse_json_value', [json, path ?? textConstant('$')]),
  json_query: ([json, path]) => call('json_extract', [json, path ?? textConstant('$')]),
  to_json_string: ([value]) => castTo('VARCHAR', call('to_json', [value])),
  parse_json: ([text]) => call('json', [text]),
  countif: ([condition]) => call('count_if', [condition]),
  logical_and: ([condition]) => call('bool_and', [condition]),
  logical_or: ([condition]) => call('bool_or', [condition]),
  safe_divide: ([a, b]) => call('/', [a, call('nullif', [b, integerConstant(0)])], true),
  regexp_contains: ([text, pattern]) => call('regexp_matches', [text, pattern]),
  regexp_extract: (args) => extractByRegexp('REGEXP_EXTRACT', 'warehouse_regexp_extract', args),
  regexp_substr: (args) => extractByRegexp('REGEXP_SUBSTR', 'warehouse_regexp_extract', args),
  regexp_extract_all: (args) => extractByRegexp('REGEXP_EXTRACT_ALL', 'regexp_extract_all', args),
  approx_quantiles: (args) => approxQuantiles(args),
  current_timestamp: () => call('now', []),
  current_date: (args) => (args.length === 0 ? castTo('DATE', call('now', [])) : undefined),
  current_datetime: () => call('timezone', [textConstant('UTC'), call('now', [])]),
  warehouse_timestamp: ([value]) => castTo('TIMESTAMP WITH TIME ZONE', value),
  timestamp_add: (args) => shift('+', args),
  timestamp_sub: (args) => shift('-', args),
  datetime_add: (args) => shift('+', args),
  datetime_sub: (args) => shift('-', args),
  date_add: (args) => shiftDate('+', args),
  date_sub: (args) => shiftDate('-', args),
  timestamp_trunc: truncate,
  datetime_trunc: truncate,
  date_trunc: (args) => toDate(truncate(args)),
  timestamp_diff: (args) => difference('date_sub', args),
  datetime_diff: (args) => difference('date_diff', args),
  date_diff: (args) => difference('date_diff', args),
  date_part: ([part, time]) =>
    constantValue(part) === DAY_OF_WEEK
      ? call('+', [call('date_part', [textConstant('dow'), time]), integerConstant(1)], true)
      : undefined,
  format_timestamp: format,
  format_datetime: format,
  format_date: format,
  parse_timestamp: ([pattern, text]) => castTo('TIMESTAMP WITH TIME ZONE', call('strptime', [text, expanded(pattern)])),
  timestamp_seconds: ([seconds]) => call('to_timestamp', [seconds]),
  timestamp_millis: ([millis]) => call('to_timestamp', [call('/', [millis, numberConstant(1_000)], true)]),
  timestamp_micros: ([micros]) => call('to_timestamp', [call('/', [micros, numberConstant(1_000_000)], true)]),
  unix_seconds: ([time]) => castTo('BIGINT', call('floor', [call('epoch', [time])])),
  unix_millis: ([time]) => call('epoch_ms', [time]),
  unix_micros: ([time]) => call('epoch_us', [time]),
};

/** Names that {@link translateFunction} knows, and those of elements. */
export const WAREHOUSE_FUNCTIONS: ReadonlySet<string> = new Set([
  ...Object.keys(FUNCTIONS),
  ...['element_offset', 'element_ordinal'],
]);

/** Makes the engine's own of a function of the warehouse; any other node comes back the same. */
export function translateFunction(node: SqlNode): SqlNode {
  const given = functionCall(node);
  if (given === undefined) return node;
  const translated = Object.hasOwn(FUNCTIONS, given.name) ? FUNCTIONS[given.name]?.(given.args) : undefined;
  if (translated === undefined) return node;
  // What stands around a call belongs to what it became: its name, its FILTER, its DISTINCT.
  const around = { alias: given.alias };
  if (translated['class'] !== 'FUNCTION') return { ...translated, ...around };
  const { filter, distinct, order_bys } = node;
  return { ...translated, ...around, filter, distinct, order_bys };
}

/** `base[OFFSET(n)]` of an array: they count from 1 here, in the warehouse from 0. */
export function elementOf(base: unknown, element: { readonly name: string; readonly args: Args }): SqlNode {
  const given = constantValue(element.args[0]);
  if (typeof given !== 'number') throw queryError('The position in OFFSET(…) or ORDINAL(…) must be a number.');
  const offset = element.name === 'element_ordinal' ? given - 1 : given;
  const quantiles = functionCall(base);
  if (quantiles?.name === 'approx_quantile' && quantiles.args.length === 2) return oneQuantile(quantiles.args, offset);
  return {
    ...{ class: 'OPERATOR', type: 'ARRAY_EXTRACT', alias: '', query_location: 0 },
    children: [base, integerConstant(offset + 1)],
  };
}

/** Of how many parts the quantiles of a list are; kept with the list for {@link oneQuantile}. */
function approxQuantiles([value, parts]: Args): SqlNode {
  const count = constantValue(parts);
  if (typeof count !== 'number' || count < 1 || count > 1_000) {
    throw queryError('The second argument of APPROX_QUANTILES must be a number from 1 to 1000.');
  }
  const points = Array.from({ length: count + 1 }, (_, index) =>
    // Its points must be of this type or decimal.
    castTo('FLOAT', textConstant(String(index / count))),
  );
  return call('approx_quantile', [value, call('list_value', points)]);
}

function oneQuantile([value, list]: Args, offset: number): SqlNode {
  const points = functionCall(list)?.args ?? [];
  const point = points[offset];
  if (point === undefined)
    throw queryError(`APPROX_QUANTILES has no element ${offset}; the last one is ${points.length - 1}.`);
  return call('approx_quantile', [value, point]);
}

/** With a third argument it is the engine's own, whose third argument names a group. */
function extractByRegexp(name: string, engineFunction: string, [text, pattern, ...rest]: Args): SqlNode | undefined {
  if (pattern === undefined || rest.length > 0) return undefined;
  return call(engineFunction, [text, pattern, integerConstant(regexpGroup(name, pattern))]);
}

function shift(operator: '+' | '-', [time, interval]: Args): SqlNode {
  return call(operator, [time, interval], true);
}

/** With an interval the warehouse's, which answers a date; with a part's name first the engine's. */
function shiftDate(operator: '+' | '-', args: Args): SqlNode | undefined {
  return args.length === 2 ? toDate(shift(operator, args)) : undefined;
}

function toDate(value: SqlNode | undefined): SqlNode | undefined {
  return value && castTo('DATE', value);
}

/** A part of time that the warehouse names without quotes, in lower case; undefined when it is something else. */
function partOf(node: unknown): string | undefined {
  const names = columnNames(node);
  return names?.length === 1 ? names[0]?.toLowerCase() : undefined;
}

const PARTS: Readonly<Record<string, string>> = { isoweek: 'week', isoyear: 'isoyear', dayofweek: 'dow' };

function truncate([time, partNode, zone]: Args): SqlNode | undefined {
  const part = partOf(partNode);
  if (part === undefined) return undefined;
  const local = zone === undefined ? time : call('timezone', [zone, time]);
  const trunc = (value: unknown) => call('date_trunc', [textConstant(PARTS[part] ?? part), value]);
  const day = call('to_days', [integerConstant(1)]);
  // The warehouse's weeks begin on Sunday, the engine's on Monday.
  const truncated = part === 'week' ? call('-', [trunc(call('+', [local, day], true)), day], true) : trunc(local);
  return zone === undefined ? truncated : call('timezone', [zone, truncated]);
}

function difference(engineFunction: string, [later, earlier, partNode]: Args): SqlNode | undefined {
  const part = partOf(partNode);
  return part === undefined ? undefined : call(engineFunction, [textConstant(PARTS[part] ?? part), earlier, later]);
}

function format([pattern, time, zone]: Args): SqlNode {
  return call('strftime', [zone === undefined ? time : call('timezone', [zone, time]), expanded(pattern)]);
}

/** Short forms of the warehouse's patterns that the engine lacks. */
const PATTERNS: readonly (readonly [short: string, long: string])[] = [
  ['%F', '%Y-%m-%d'],
  ['%T', '%H:%M:%S'],
  ['%R', '%H:%M'],
  ['%D', '%m/%d/%y'],
  ['%E3S', '%S.%g'],
  ['%E6S', '%S.%f'],
  ['%E*S', '%S.%f'],
  ['%E4Y', '%Y'],
  ['%e', '%-d'],
];

function expanded(pattern: unknown): unknown {
  const text = constantValue(pattern);
  if (typeof text !== 'string') return pattern;
  return textConstant(
    // A doubled percent sign is one that stands for itself.
    text.replaceAll(/%%|%E[*\d][SY]|%[A-Za-z]/g, (found) => PATTERNS.find(([short]) => short === found)?.[1] ?? found),
  );
}
