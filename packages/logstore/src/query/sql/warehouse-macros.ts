import { WAREHOUSE } from './translate-text.ts';

/** Whitespace of the warehouse's TRIM: Unicode's White_Space. Source: GoogleSQL, string functions, TRIM. */
const SPACES = [9, 10, 11, 12, 13, 32, 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000];
const WHITESPACE = [...SPACES, ...Array.from({ length: 11 }, (_, index) => 0x2000 + index)]
  .map((codePoint) => `chr(${codePoint})`)
  .join(' || ');

/** INITCAP's delimiters besides whitespace. Source: GoogleSQL, string functions, INITCAP. */
const DELIMITERS = String.raw`\s\[\](){}/|\\<>!?@"^#$&~_,.:;*%+\-`;

const NOT_SCALAR = `('OBJECT', 'ARRAY')`;
const JSON_INTEGERS = `('BIGINT', 'UBIGINT', 'HUGEINT')`;

/**
 * Functions of the warehouse that are a DuckDB formula: `(parameters) AS expression`, one for each number of arguments.
 * The names of lambda parameters are such that no column of a query has them.
 *
 * The warehouse refuses where DuckDB returns NULL or infinity, and returns NULL where DuckDB skips it.
 * Source: the warehouse's function reference (GoogleSQL), section by section.
 */
const MACROS: Readonly<Record<string, readonly string[]>> = {
  // String functions.
  substr: [
    '(value, place) AS substring(value, CASE WHEN place = 0 OR place < -length(value) THEN 1 ELSE place END)',
    `(value, place, size) AS CASE WHEN size < 0 THEN error('SUBSTR: the length must not be negative')
      ELSE substring(value, CASE WHEN place = 0 OR place < -length(value) THEN 1 ELSE place END, size) END`,
  ],
  trim: [`(value) AS trim(value, ${WHITESPACE})`, '(value, characters) AS trim(value, characters)'],
  ltrim: [`(value) AS ltrim(value, ${WHITESPACE})`, '(value, characters) AS ltrim(value, characters)'],
  rtrim: [`(value) AS rtrim(value, ${WHITESPACE})`, '(value, characters) AS rtrim(value, characters)'],
  initcap: [
    `(value) AS array_to_string(list_transform(regexp_extract_all(lower(value), '[^${DELIMITERS.replaceAll("'", "''")}]+|[${DELIMITERS}]+'),
      lambda warehouse_word: upper(warehouse_word[1]) || warehouse_word[2:]), '')`,
  ],
  byte_length: [
    `(value) AS CASE WHEN typeof(value) = 'BLOB' THEN octet_length(value::BLOB) ELSE strlen(value::VARCHAR) END`,
  ],
  octet_length: [
    `(value) AS CASE WHEN typeof(value) = 'BLOB' THEN octet_length(value::BLOB) ELSE strlen(value::VARCHAR) END`,
  ],
  unicode: [`(value) AS CASE WHEN value = '' THEN 0 ELSE unicode(value) END`],
  to_code_points: [`(value) AS list_transform(string_split(value, ''), lambda warehouse_one: unicode(warehouse_one))`],
  code_points_to_string: [
    `(points) AS CASE WHEN list_count(points) = len(points) THEN array_to_string(list_transform(points, lambda warehouse_one: CASE WHEN warehouse_one = 0 THEN '' ELSE chr(warehouse_one::INTEGER) END), '') END`,
  ],
  chr: [`(point) AS CASE WHEN point = 0 THEN '' ELSE chr(point::INTEGER) END`],
  md5: ['(value) AS unhex(md5(value))'],
  sha1: ['(value) AS unhex(sha1(value))'],
  sha256: ['(value) AS unhex(sha256(value))'],
  to_hex: ['(value) AS lower(to_hex(value))'],
  contains_substr: [
    `(value, wanted) AS CASE
      WHEN typeof(value) = 'JSON' THEN len(list_filter(json_extract(to_json(value), '$..*') || [to_json(value)], lambda warehouse_one:
        json_type(warehouse_one) NOT IN ${NOT_SCALAR}
        AND contains(lower(nfc_normalize(warehouse_one ->> '$')), lower(nfc_normalize(wanted))))) > 0
      WHEN starts_with(typeof(value), 'STRUCT') THEN error('CONTAINS_SUBSTR: name the column to search in')
      ELSE contains(lower(nfc_normalize(value::VARCHAR)), lower(nfc_normalize(wanted))) END`,
  ],
  regexp_extract: [
    `(value, pattern, wanted) AS
      CASE WHEN regexp_matches(value, pattern) THEN regexp_extract(value, pattern, wanted) END`,
  ],

  // Mathematical functions.
  log: [
    '(value) AS ln(value)',
    `(value, base) AS CASE WHEN isinf(base::DOUBLE) THEN 'NaN'::DOUBLE ELSE log(base, value) END`,
  ],
  pow: [
    `(one, other) AS CASE WHEN one = 0 AND other < 0 AND isfinite(other::DOUBLE) THEN error('POW: 0 has no negative power')
      WHEN one < 0 AND isfinite(one::DOUBLE) AND isfinite(other::DOUBLE) AND other <> trunc(other::DOUBLE)
        THEN error('POW: a negative number has whole powers alone')
      ELSE pow(one, other) END`,
  ],
  sign: [
    `(value) AS CASE WHEN typeof(value) IN ('DOUBLE', 'FLOAT') AND isnan(value::DOUBLE) THEN error('SIGN: NaN has none')
      ELSE sign(value) END`,
  ],
  bit_count: ['(value) AS bit_count(value::BIGINT)'],
  // The average of NUMERIC is NUMERIC in the warehouse and a float in DuckDB.
  not_numeric: [
    `(value) AS CASE WHEN typeof(value) = 'DECIMAL(38,9)' THEN error('AVG of NUMERIC is not possible here: CAST it to FLOAT64')
      ELSE value END`,
  ],
  // NUMERIC divided by NUMERIC is NUMERIC in the warehouse and a float in DuckDB.
  divide: [
    `(one, other) AS CASE WHEN typeof(one) = 'DECIMAL(38,9)' OR typeof(other) = 'DECIMAL(38,9)'
        THEN error('NUMERIC cannot be divided here: CAST it to FLOAT64')
      WHEN other = 0 THEN error('division by zero: use SAFE_DIVIDE or IEEE_DIVIDE') ELSE one / other END`,
  ],
  div: [`(one, other) AS CASE WHEN other = 0 THEN error('division by zero: DIV') ELSE one // other END`],
  mod: [`(one, other) AS CASE WHEN other = 0 THEN error('division by zero: MOD') ELSE mod(one, other) END`],
  ieee_divide: ['(one, other) AS one::DOUBLE / other::DOUBLE'],
  range_bucket: [
    `(point, bounds) AS CASE WHEN list_count(bounds) < len(bounds) OR list_sort(bounds) <> bounds
        THEN error('RANGE_BUCKET: the bounds must be sorted, without NULL')
      WHEN point IS NOT NULL
      THEN len(list_filter(bounds, lambda warehouse_one: warehouse_one <= point)) END`,
  ],
  unless_null: ['(value, given) AS CASE WHEN list_count(given) = len(given) THEN value END'],

  // Conversions. Floats become text of 15 digits, or of 17 where 15 would be another number; NUMERIC has no trailing
  // zeros; fractions of a second have none, three or six digits.
  cast_text: [
    `(value) AS CASE
      WHEN typeof(value) = 'DECIMAL(38,9)' THEN regexp_replace(value::VARCHAR, '[.]?0+$', '')
      WHEN typeof(value) IN ('DOUBLE', 'FLOAT') OR starts_with(typeof(value), 'DECIMAL') THEN
        CASE WHEN lower(value::VARCHAR) IN ('nan', '-nan') THEN 'NaN'
          WHEN TRY_CAST(value::VARCHAR AS DOUBLE) = 0 THEN '0'
          WHEN printf('%.15g', TRY_CAST(value::VARCHAR AS DOUBLE))::DOUBLE = TRY_CAST(value::VARCHAR AS DOUBLE)
            THEN printf('%.15g', TRY_CAST(value::VARCHAR AS DOUBLE))
          ELSE printf('%.17g', TRY_CAST(value::VARCHAR AS DOUBLE)) END
      WHEN typeof(value) = 'INTERVAL' THEN error('An INTERVAL cannot be cast to STRING here')
      WHEN starts_with(typeof(value), 'TIME') THEN replace(regexp_replace(regexp_replace(value::VARCHAR,
        '[.](\\d{2}|\\d{5})(\\D|$)', '.\\1_0\\2'), '[.](\\d|\\d{4})(\\D|$)', '.\\1_00\\2'), '_', '')
      ELSE value::VARCHAR END`,
  ],
  string_cast: [
    `(value) AS CASE WHEN typeof(value) = 'BLOB' THEN decode(value::VARCHAR::BLOB) ELSE warehouse_cast_text(value) END`,
  ],
  try_string_cast: [
    `(value) AS CASE WHEN typeof(value) = 'BLOB' THEN TRY(decode(value::VARCHAR::BLOB)) ELSE warehouse_cast_text(value) END`,
  ],
  bytes_cast: [`(value) AS CASE WHEN typeof(value) = 'BLOB' THEN value::BLOB ELSE encode(value::VARCHAR) END`],
  try_bytes_cast: [`(value) AS CASE WHEN typeof(value) = 'BLOB' THEN value::BLOB ELSE encode(value::VARCHAR) END`],
  int64_cast: [
    `(value) AS CASE
      WHEN typeof(value) IN ('DOUBLE', 'FLOAT') THEN CAST(round(value::DOUBLE) AS BIGINT)
      WHEN typeof(value) IN ('VARCHAR', 'JSON') AND NOT regexp_full_match(trim(value::VARCHAR), '[+-]?(?:[0-9]+|0[xX][0-9a-fA-F]+)')
        THEN error('Bad int64 value: ' || value::VARCHAR)
      WHEN typeof(value) = 'VARCHAR' AND regexp_matches(value::VARCHAR, '^ *-0[xX]') THEN -CAST(replace(value::VARCHAR, '-', '') AS BIGINT)
      ELSE CAST(value AS BIGINT) END`,
  ],
  try_int64_cast: [
    `(value) AS CASE
      WHEN typeof(value) IN ('DOUBLE', 'FLOAT') THEN TRY_CAST(round(TRY_CAST(value AS DOUBLE)) AS BIGINT)
      WHEN typeof(value) = 'VARCHAR' AND regexp_full_match(trim(value::VARCHAR), '-0[xX][0-9a-fA-F]+')
        THEN -TRY_CAST(replace(value::VARCHAR, '-', '') AS BIGINT)
      WHEN typeof(value) NOT IN ('VARCHAR', 'JSON') OR regexp_full_match(trim(value::VARCHAR), '[+-]?(?:[0-9]+|0[xX][0-9a-fA-F]+)')
        THEN TRY_CAST(value AS BIGINT) END`,
  ],
  bool_cast: [
    `(value) AS CASE WHEN typeof(value) IN ('VARCHAR', 'JSON') AND lower(value::VARCHAR) NOT IN ('true', 'false')
      THEN error('Bad bool value: ' || value::VARCHAR) ELSE CAST(value AS BOOLEAN) END`,
  ],
  try_bool_cast: [
    `(value) AS CASE WHEN typeof(value) NOT IN ('VARCHAR', 'JSON') OR lower(value::VARCHAR) IN ('true', 'false')
      THEN TRY_CAST(value AS BOOLEAN) END`,
  ],

  // JSON functions. JSON_VALUE returns NULL for an object or a list.
  json_value: [
    `(value, path) AS CASE WHEN json_type(value::JSON, path) NOT IN ${NOT_SCALAR} THEN json_extract_string(value::JSON, path) END`,
  ],
  // In a text, null is a missing value; in JSON, it is a value.
  json_query: [
    `(value, path) AS CASE WHEN typeof(value) = 'VARCHAR' AND json_type(value::JSON, path) = 'NULL' THEN NULL
      ELSE json_extract(value::JSON, path) END`,
  ],
  json_query_array: [
    `(value, path) AS CASE WHEN json_type(value::JSON, path) = 'ARRAY' THEN json_extract(value::JSON, path || '[*]') END`,
  ],
  json_value_array: [
    `(value, path) AS CASE WHEN json_type(value::JSON, path) = 'ARRAY' AND len(list_filter(json_extract(value::JSON, path || '[*]'),
        lambda warehouse_one: json_type(warehouse_one) IN ${NOT_SCALAR})) = 0
      THEN list_transform(json_extract(value::JSON, path || '[*]'), lambda warehouse_one: warehouse_one ->> '$') END`,
  ],
  json_type: [
    `(value) AS CASE json_type(value::JSON) WHEN 'OBJECT' THEN 'object' WHEN 'ARRAY' THEN 'array' WHEN 'VARCHAR' THEN 'string'
      WHEN 'BOOLEAN' THEN 'boolean' WHEN 'NULL' THEN 'null' ELSE CASE WHEN value IS NOT NULL THEN 'number' END END`,
  ],
  bool: [
    `(value) AS CASE WHEN json_type(value::JSON) = 'BOOLEAN' THEN (value::JSON ->> '$')::BOOLEAN
      WHEN value IS NOT NULL THEN error('BOOL: the JSON value is not a boolean') END`,
  ],
  int64: [
    `(value) AS CASE WHEN json_type(value::JSON) IN ${JSON_INTEGERS} THEN (value::JSON ->> '$')::BIGINT
      WHEN TRY_CAST(CASE json_type(value::JSON) WHEN 'DOUBLE' THEN value::JSON ->> '$' END AS DOUBLE) % 1 = 0
        THEN (value::JSON ->> '$')::DOUBLE::BIGINT
      WHEN value IS NOT NULL THEN error('INT64: the JSON value is not a whole number') END`,
  ],
  float64: [
    `(value) AS CASE WHEN json_type(value::JSON) IN ${JSON_INTEGERS} OR json_type(value::JSON) = 'DOUBLE'
      THEN (value::JSON ->> '$')::DOUBLE WHEN value IS NOT NULL THEN error('FLOAT64: the JSON value is not a number') END`,
  ],
  string: [
    `(value) AS CASE WHEN typeof(value) <> 'JSON' THEN value::VARCHAR
      WHEN json_type(to_json(value)) = 'VARCHAR' THEN to_json(value) ->> '$'
      WHEN value IS NOT NULL THEN error('STRING: the JSON value is not a string') END`,
    `(value, zone) AS strftime(timezone(zone, value::TIMESTAMPTZ), '%Y-%m-%d %H:%M:%S')
      || CASE WHEN zone IN ('UTC', 'Etc/UTC') THEN '+00' ELSE error('STRING: the zone must be UTC') END`,
  ],

  // Array functions.
  array_to_string: [
    '(list, separator) AS array_to_string(list, separator)',
    `(list, separator, missing) AS
      array_to_string(list_transform(list, lambda warehouse_one: coalesce(warehouse_one::VARCHAR, missing)), separator)`,
  ],
  array_slice: [
    `(list, low, high) AS list_slice(list, CASE WHEN low < 0 THEN greatest(low, -len(list)) ELSE low + 1 END,
      CASE WHEN high < 0 THEN high ELSE high + 1 END)`,
  ],
  array_first: [`(list) AS CASE WHEN len(list) = 0 THEN error('ARRAY_FIRST: the array is empty') ELSE list[1] END`],
  array_last: [`(list) AS CASE WHEN len(list) = 0 THEN error('ARRAY_LAST: the array is empty') ELSE list[-1] END`],
  element: [
    `(list, place) AS CASE WHEN place < 0 OR place >= len(list)
      THEN error('Array index ' || place::VARCHAR || ' is out of bounds: use SAFE_OFFSET') ELSE list[place + 1] END`,
  ],
  safe_element: ['(list, place) AS CASE WHEN place >= 0 THEN list[place + 1] END'],
  generate_array: [
    '(first, last) AS generate_series(first, last)',
    '(first, last, step) AS generate_series(first, last, step)',
  ],
  generate_date_array: [
    `(first, last) AS list_transform(generate_series(first::TIMESTAMP, last::TIMESTAMP, INTERVAL 1 DAY),
      lambda warehouse_one: warehouse_one::DATE)`,
    `(first, last, step) AS list_transform(generate_series(first::TIMESTAMP, last::TIMESTAMP, step),
      lambda warehouse_one: warehouse_one::DATE)`,
  ],
  generate_timestamp_array: ['(first, last, step) AS generate_series(first::TIMESTAMPTZ, last::TIMESTAMPTZ, step)'],
  // Returns the most frequent of a map's entries, whose keys are rows of one value.
  top_entries: [
    `(entries, count) AS list_transform(
      list_sort(list_transform(entries, lambda warehouse_one: struct_pack(n := -warehouse_one.value::BIGINT, v := warehouse_one.key)))[:count],
      lambda warehouse_one: struct_pack(value := struct_extract_at(warehouse_one.v, 1), count := -warehouse_one.n))`,
  ],
};

/** Least and most arguments of each macro. */
export const MACRO_ARITIES: ReadonlyMap<string, readonly [number, number]> = new Map(
  Object.entries(MACROS).map(([name, forms]) => {
    const counts = forms.map((form) => parametersOf(form).length);
    return [name, [Math.min(...counts), Math.max(...counts)]];
  }),
);

/** Returns true when a macro fails for some arguments, which DuckDB's TRY does not allow. */
export function mayFail(name: string, argumentCount: number): boolean {
  const forms = Object.hasOwn(MACROS, name) ? (MACROS[name] ?? []) : [];
  return forms.some((form) => parametersOf(form).length === argumentCount && form.includes('error('));
}

/** For each macro, how often its longest form uses the argument that it uses most often. */
export const MACRO_COPIES: ReadonlyMap<string, number> = new Map(
  Object.entries(MACROS).map(([name, forms]) => {
    const copies = forms.flatMap((form) =>
      parametersOf(form).map((parameter) => form.split(new RegExp(`\\b${parameter}\\b`)).length - 2),
    );
    return [WAREHOUSE + name, Math.max(1, ...copies)];
  }),
);

/** Statements for a new connection, before it is locked. */
export const WAREHOUSE_MACROS: readonly string[] = Object.entries(MACROS).map(
  ([name, forms]) => `CREATE MACRO ${WAREHOUSE}${name} ${forms.join(', ')}`,
);

function parametersOf(form: string): readonly string[] {
  return form.slice(1, form.indexOf(')')).split(', ');
}
