import { jsonPath } from './json-paths.ts';
import { groupMayBeEmpty, regexpGroup } from './regexp-group.ts';
import { queryError, Untranslatable } from './sql-error.ts';
import {
  call,
  castTo,
  constantValue,
  functionCall,
  integerConstant,
  isNode,
  type SqlNode,
  textConstant,
} from './sql-tree.ts';
import { WAREHOUSE } from './translate-text.ts';
import { MACRO_ARITIES, mayFail } from './warehouse-macros.ts';
import { type Entry, TIME_FUNCTIONS } from './warehouse-times.ts';

type Args = readonly unknown[];

const MANY = Number.POSITIVE_INFINITY;

/**
 * Functions of the warehouse by name, and their translation; those that are a formula are macros. Undefined: with these
 * arguments, DuckDB's own meaning holds. Where both have a function of one name, the warehouse's meaning holds.
 * Source: the function references of the warehouse (BigQuery, GoogleSQL) and of DuckDB.
 */
const FUNCTIONS: Readonly<Record<string, Entry>> = {
  ...TIME_FUNCTIONS,
  substring: [2, 3, (args) => macro('substr', args)],
  lpad: [2, 3, ([text, length, filler = textConstant(' ')]) => call('lpad', [text, length, filler])],
  rpad: [2, 3, ([text, length, filler = textConstant(' ')]) => call('rpad', [text, length, filler])],
  split: [1, 2, ([text, separator = textConstant(',')]) => call('string_split', [text, separator])],
  concat: [1, MANY, (args) => joined(args)],
  array_concat: [1, MANY, (args) => joined(args)],
  greatest: [1, MANY, (args) => unlessNull('greatest', args)],
  least: [1, MANY, (args) => unlessNull('least', args)],
  // With options, it is DuckDB's.
  regexp_replace: [
    3,
    4,
    (args) => (args.length === 3 ? call('regexp_replace', [...args, textConstant('g')]) : undefined),
  ],
  instr: [2, 2, (args) => call('instr', args)],
  power: [2, 2, (args) => macro('pow', args)],
  regexp_contains: [2, 2, (args) => call('regexp_matches', args)],
  regexp_extract: [2, 4, (args) => extractByRegexp('REGEXP_EXTRACT', args)],
  regexp_substr: [2, 4, (args) => extractByRegexp('REGEXP_SUBSTR', args)],
  regexp_extract_all: [2, 3, extractAllByRegexp],
  format: [1, MANY, formatText],
  edit_distance: [2, 2, (args) => call('levenshtein', args)],
  character_length: [1, 1, (args) => call('length', args)],
  normalize: [1, 1, (args) => call('nfc_normalize', args)],
  generate_uuid: [0, 0, () => castTo('VARCHAR', call('uuid', []))],
  rand: [0, 0, () => call('random', [])],

  json_value: [1, 2, ([json, path]) => macro('json_value', [json, jsonPath(path)])],
  json_extract_scalar: [1, 2, ([json, path]) => macro('json_value', [json, jsonPath(path)])],
  json_query: [1, 2, ([json, path]) => macro('json_query', [json, jsonPath(path)])],
  json_value_array: [1, 2, ([json, path]) => macro('json_value_array', [json, jsonPath(path)])],
  json_extract_string_array: [1, 2, ([json, path]) => macro('json_value_array', [json, jsonPath(path)])],
  json_query_array: [1, 2, ([json, path]) => macro('json_query_array', [json, jsonPath(path)])],
  json_extract_array: [1, 2, ([json, path]) => macro('json_query_array', [json, jsonPath(path)])],
  // With a path, it is DuckDB's.
  json_type: [1, 2, (args) => (args.length === 1 ? macro('json_type', args) : undefined)],
  json_keys: [1, 2, topKeys],
  to_json_string: [1, 1, ([value]) => castTo('VARCHAR', call('to_json', [value]))],
  json_object: [0, MANY, jsonObject],
  parse_json: [1, 1, ([text]) => call('json', [text])],

  avg: [1, 1, ([value]) => call('avg', [macro('not_numeric', [value])])],
  countif: [1, 1, (args) => call('count_if', args)],
  logical_and: [1, 1, (args) => call('bool_and', args)],
  logical_or: [1, 1, (args) => call('bool_or', args)],
  approx_quantiles: [2, 2, approxQuantiles],
  approx_top_count: [2, 2, ([value, count]) => macro('top_entries', [topEntries(value), count])],
  percentile_cont: [2, 2, (args) => call('quantile_cont', args)],
  percentile_disc: [2, 2, (args) => call('quantile_disc', args)],

  safe_divide: [2, 2, ([one, other]) => call('/', [one, call('nullif', [other, integerConstant(0)])], true)],
  safe_add: [2, 2, (args) => tried(call('+', args, true))],
  safe_subtract: [2, 2, (args) => tried(call('-', args, true))],
  safe_multiply: [2, 2, (args) => tried(call('*', args, true))],
  safe_negate: [1, 1, (args) => tried(call('-', args, true))],
  is_nan: [1, 1, (args) => call('isnan', args)],
  is_inf: [1, 1, (args) => call('isinf', args)],
  array_includes: [2, 2, (args) => call('list_contains', args)],
};

/** Macros of {@link MACROS} whose names are not functions of the warehouse. */
const INNER = new Set([
  ...['divide', 'unless_null', 'element', 'safe_element', 'top_entries', 'regexp_extract'],
  ...['not_numeric', 'string_cast', 'try_string_cast', 'bytes_cast', 'try_bytes_cast', 'cast_text'],
  ...['int64_cast', 'try_int64_cast', 'bool_cast', 'try_bool_cast', 'bool', 'int64', 'float64', 'string'],
]);
/** Functions whose names DuckDB's parser would take for types; see translate-text.ts. */
const OF_TYPES = new Set(['bool', 'int64', 'float64', 'string']);

/** Functions of the warehouse by their name in the tree. */
const ENTRIES: ReadonlyMap<string, Entry> = new Map([
  ...[...MACRO_ARITIES].flatMap(([name, [least, most]]): [string, Entry][] => {
    if (INNER.has(name) && !OF_TYPES.has(name)) return [];
    return [[OF_TYPES.has(name) ? WAREHOUSE + name : name, [least, most, (args) => macro(name, args)]]];
  }),
  ...Object.entries(FUNCTIONS),
]);

/** Names that {@link translateFunction} knows, and those of elements. */
export const WAREHOUSE_FUNCTIONS: ReadonlySet<string> = new Set([
  ...ENTRIES.keys(),
  ...['element_offset', 'element_ordinal', 'element_safe_offset', 'element_safe_ordinal'],
]);

/**
 * Translates a function or operator of the warehouse. Returns any other node as it is.
 * @throws Untranslatable for one that has no faithful translation.
 */
export function translateFunction(node: SqlNode): SqlNode {
  if (node['class'] === 'WINDOW') return translateWindow(node);
  if (node['class'] === 'FUNCTION' && node['is_operator'] === true) return translateOperator(node);
  const given = functionCall(node);
  if (given === undefined) return node;
  const isSafe = String(node['schema']).toLowerCase() === 'safe';
  if (isSafe && mayFail(given.name.replace(WAREHOUSE, ''), given.args.length)) {
    throw new Untranslatable(`SAFE.${given.name.replace(WAREHOUSE, '').toUpperCase()} is not supported.`, node);
  }
  const entry = ENTRIES.get(given.name);
  const translated = entry && translateCall(given.name, entry, given.args, node);
  if (translated === undefined) return isSafe ? { ...tried({ ...node, schema: '' }), alias: given.alias } : node;
  // The alias, FILTER and DISTINCT of a call belong to its translation.
  const around = { alias: given.alias };
  if (isSafe) return { ...tried(translated), ...around };
  if (translated['class'] !== 'FUNCTION') return { ...translated, ...around };
  const { filter, distinct, order_bys } = node;
  return { ...translated, ...around, filter, distinct, order_bys };
}

function translateCall(
  name: string,
  [least, most, translation]: Entry,
  args: Args,
  node: SqlNode,
): SqlNode | undefined {
  if (args.length < least || args.length > most) {
    const shown = name.replace(WAREHOUSE, '').toUpperCase();
    const counts = least === most ? String(least) : most === MANY ? `${least} or more` : `${least} to ${most}`;
    throw new Untranslatable(`${shown} takes ${counts} argument${counts === '1' ? '' : 's'} here.`, node);
  }
  return translation(args, node);
}

function macro(name: string, args: Args): SqlNode {
  return call(WAREHOUSE + name, args);
}

/** Returns an expression that is NULL where `child` is an error. */
function tried(child: SqlNode): SqlNode {
  return { class: 'OPERATOR', type: 'OPERATOR_TRY', alias: '', query_location: 0, children: [child] };
}

/** Window functions that DuckDB has under another name. */
const WINDOWS: Readonly<Record<string, string>> = {
  percentile_cont: 'quantile_cont',
  percentile_disc: 'quantile_disc',
  countif: 'count_if',
  logical_and: 'bool_and',
  logical_or: 'bool_or',
};

function translateWindow(node: SqlNode): SqlNode {
  const name = String(node['function_name']).toLowerCase();
  if (name === 'avg') {
    const [value, ...rest] = node['children'] as Args;
    return { ...node, children: [macro('not_numeric', [value]), ...rest] };
  }
  return Object.hasOwn(WINDOWS, name) ? { ...node, function_name: WINDOWS[name] } : node;
}

function translateOperator(node: SqlNode): SqlNode {
  const args = node['children'] as Args;
  const [one, other] = args;
  const alias = node['alias'];
  switch (node['function_name']) {
    case '^':
      throw new Untranslatable(
        'The operator ^ is ambiguous: XOR in warehouses, power in the engine. Write POW(a, b) or xor(a, b).',
        node,
      );
    case '/':
      return { ...macro('divide', args), alias };
    case '~~':
    case '!~~': {
      const pattern = constantValue(other);
      if (typeof pattern === 'string' && !pattern.includes('\\')) return node;
      const name = node['function_name'] === '~~' ? 'like_escape' : 'not_like_escape';
      return { ...call(name, [one, other, textConstant('\\')]), alias };
    }
    default:
      return node;
  }
}

const ELEMENTS: Readonly<Record<string, readonly [macro: string, first: number]>> = {
  element_offset: ['element', 0],
  element_ordinal: ['element', 1],
  element_safe_offset: ['safe_element', 0],
  element_safe_ordinal: ['safe_element', 1],
};

/** Translates `base[OFFSET(n)]` of an array: DuckDB counts from 1, the warehouse from 0. */
export function elementOf(base: unknown, element: { readonly name: string; readonly args: Args }): SqlNode {
  const [name, first] = ELEMENTS[element.name] ?? ['element', 0];
  const [given] = element.args;
  const place = constantValue(given);
  const quantiles = functionCall(base);
  if (quantiles?.name === 'approx_quantile' && quantiles.args.length === 2) {
    if (typeof place !== 'number') throw queryError('The position in OFFSET(…) or ORDINAL(…) must be a number.');
    return oneQuantile(quantiles.args, place - first);
  }
  const offset = first === 0 ? given : call('-', [given, integerConstant(first)], true);
  return macro(name, [base, offset]);
}

/** Translates APPROX_QUANTILES, and keeps the number of quantiles with the list for {@link oneQuantile}. */
function approxQuantiles([value, parts]: Args): SqlNode {
  const count = constantValue(parts);
  if (typeof count !== 'number' || count < 1 || count > 1_000) {
    throw queryError('The second argument of APPROX_QUANTILES must be a number from 1 to 1000.');
  }
  const points = Array.from({ length: count + 1 }, (_, index) =>
    // The points must be of this type or decimal.
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

/** Counts each value, including NULL. Map keys can't be NULL, so the keys are rows. */
function topEntries(value: unknown): SqlNode {
  return call('map_entries', [call('histogram', [call('row', [value])])]);
}

/** Returns NULL when one of the arguments is NULL. */
function joined(args: Args): SqlNode {
  const [first, ...rest] = args;
  return rest.reduce<unknown>((all, one) => call('||', [all, one], true), first) as SqlNode;
}

/** DuckDB skips NULL. */
function unlessNull(name: string, args: Args): SqlNode {
  return macro('unless_null', [call(name, args), call('list_value', args)]);
}

/**
 * The third argument is a start position. When it is 0, or the pattern has several groups, which the warehouse refuses,
 * it is DuckDB's: the number of a group.
 */
function extractByRegexp(name: string, [text, pattern, place, occurrence]: Args): SqlNode | undefined {
  const start = constantValue(place);
  if (occurrence === undefined && place !== undefined) {
    if (start === 0 || (typeof constantValue(pattern) === 'string' && regexpGroup(name, pattern, true) > 1)) {
      return call('regexp_extract', [text, pattern, place]);
    }
  }
  const group = integerConstant(regexpGroup(name, pattern));
  const from = place === undefined || start === 1 ? text : macro('substr', [text, place]);
  const found =
    occurrence === undefined
      ? macro('regexp_extract', [from, pattern, group])
      : call('list_extract', [call('regexp_extract_all', [from, pattern, group]), occurrence]);
  const isGroup = constantValue(group) === 1 && !groupMayBeEmpty(pattern);
  return isGroup ? call('nullif', [found, textConstant('')]) : found;
}

/** With a third argument it is DuckDB's function, whose third argument is the number of a group. */
function extractAllByRegexp([text, pattern, ...rest]: Args): SqlNode | undefined {
  if (rest.length > 0) return undefined;
  return call('regexp_extract_all', [text, pattern, integerConstant(regexpGroup('REGEXP_EXTRACT_ALL', pattern))]);
}

const SPECIFIERS = /%(?:%|[-+ #0]*\d*(?:\.\d+)?([a-zA-Z])|.|$)/g;
const KNOWN_SPECIFIERS = new Set([...'diouxXeEfFgGs']);
/** Specifiers for whole numbers only. */
const INTEGER_SPECIFIERS = new Set([...'dioxX']);

/** With `%` in the pattern it is the warehouse's function; with `{}` it is DuckDB's. */
function formatText([pattern, ...values]: Args, node: SqlNode): SqlNode | undefined {
  const text = constantValue(pattern);
  if (typeof text !== 'string') {
    throw new Untranslatable('The pattern of FORMAT must be a text constant.', node);
  }
  if (!text.includes('%')) return undefined;
  const found = [...text.matchAll(SPECIFIERS)].filter(([whole]) => whole !== '%%');
  for (const [whole, letter] of found) {
    if (letter === undefined || !KNOWN_SPECIFIERS.has(letter)) {
      throw new Untranslatable(`FORMAT cannot use ${whole} here.`, pattern);
    }
  }
  if (found.length !== values.length) {
    throw new Untranslatable(`FORMAT has ${found.length} places and ${values.length} values.`, node);
  }
  const cast = values.map((value, index) => {
    const letter = found[index]?.[1] ?? '';
    if (letter === 's') return value;
    return INTEGER_SPECIFIERS.has(letter) ? macro('int64_cast', [value]) : castTo('DOUBLE', value);
  });
  return call('printf', [textConstant(text.replaceAll(/%(?=[-+ #0]*\d*i)([-+ #0]*\d*)i/g, '%$1d')), ...cast]);
}

/** Without a depth, the warehouse also returns the keys of all nested objects. */
function topKeys([json, depth]: Args, node: SqlNode): SqlNode | undefined {
  if (depth === undefined)
    throw new Untranslatable('JSON_KEYS of every depth is not supported. Write JSON_KEYS(json, 1).', node);
  if (typeof constantValue(depth) === 'string') return undefined;
  if (constantValue(depth) !== 1) throw new Untranslatable('JSON_KEYS supports only a depth of 1.', depth);
  return call('list_sort', [call('json_keys', [json])]);
}

/** If a name has two values, the warehouse keeps the first and DuckDB the last. */
function jsonObject(args: Args, node: SqlNode): undefined {
  const names = args.filter((_, place) => place % 2 === 0).map(constantValue);
  const twice = names.find((name, place) => typeof name === 'string' && names.indexOf(name) < place);
  if (twice !== undefined) throw new Untranslatable(`JSON_OBJECT has the name ${JSON.stringify(twice)} twice.`, node);
  return undefined;
}

/** Translates `x IN UNNEST(list)`, which the parser turns into a function of the two. */
export function inUnnest(node: SqlNode): SqlNode {
  const given = functionCall(node);
  const [list, value] = given?.args ?? [];
  const unnest = functionCall(list);
  if (given?.name !== 'contains' || unnest?.name !== 'unnest' || !isNode(value)) return node;
  return { ...node, children: [unnest.args[0], value] };
}
