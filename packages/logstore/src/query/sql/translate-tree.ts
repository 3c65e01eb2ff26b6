import { extract, findJsonPath, type Wanted } from './json-paths.ts';
import { Untranslatable } from './sql-error.ts';
import { call, constantValue, functionCall, isNode, isNumber, type SqlNode } from './sql-tree.ts';
import { WAREHOUSE } from './translate-text.ts';
import { elementOf, inUnnest, translateFunction } from './warehouse-functions.ts';
import { MACRO_COPIES } from './warehouse-macros.ts';

/**
 * Gives a statement the meaning that it has in a cloud log warehouse, where DuckDB has another or none: paths into JSON
 * columns, array elements, functions, types. Returns the same object when nothing changes.
 *
 * A JSON value stays JSON when it is only passed on (selected, grouped, ordered by), so that `3` stays a number and an
 * object an object. It is a text where it meets a text, and a number where it meets a number.
 */
export function translateTree(statement: SqlNode): SqlNode {
  const translated = translate(statement, 'json') as SqlNode;
  if (sizeOf(translated) > MAX_EXPRESSIONS) {
    throw new Untranslatable(
      'The query is too complex: divisions, casts or functions are nested too deeply in one another.',
    );
  }
  return translated;
}

/** Maximum expressions of a query after DuckDB has expanded its macros. */
const MAX_EXPRESSIONS = 1_000_000;

/** Counts the expressions below a value. A macro's argument counts as often as the macro uses it. */
function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + sizeOf(item), 0);
  if (!isNode(value)) return 0;
  const copies = MACRO_COPIES.get(String(value['function_name'])) ?? 1;
  return 1 + copies * Object.values(value).reduce<number>((sum, child) => sum + sizeOf(child), 0);
}

function translate(value: unknown, wanted: Wanted): unknown {
  if (Array.isArray(value)) return mapSame(value, (item) => translate(item, wanted));
  if (!isNode(value)) return value;
  const path = findJsonPath(value);
  if (path !== undefined) return { ...extract(path, wanted), alias: value['alias'] };
  if (value['type'] === 'ARRAY_EXTRACT') return translateElement(value);
  const children = translateChildren(value);
  if (children['type'] === 'TABLE_FUNCTION') return translateTable(children);
  return translateCast(translateFunction(inUnnest(children)));
}

type Field = readonly [name: string, value: unknown];

function translateChildren(node: SqlNode): SqlNode {
  const wanted = wantedOf(node);
  const entries: readonly Field[] = Object.entries(node);
  const translated = mapSame(entries, (entry): Field => {
    const [field, child] = entry;
    const result = field === 'select_list' ? translateColumns(child as readonly unknown[]) : translate(child, wanted);
    return result === child ? entry : [field, result];
  });
  return translated === entries ? node : Object.fromEntries(translated);
}

/** Columns keep the names that they have without translation. */
function translateColumns(columns: readonly unknown[]): readonly unknown[] {
  return mapSame(columns, (column) => {
    const result = translate(column, 'json');
    if (result === column || !isNode(result) || !isNode(column) || column['alias'] !== '') return result;
    const path = findJsonPath(column);
    const alias = path === undefined ? nameOf(column) : lastStep(path.path);
    return { ...result, alias };
  });
}

/** Returns the name of an expression without an alias: its function, or a cast. */
function nameOf(column: SqlNode): string {
  if (column['class'] === 'CAST') return 'cast';
  if (column['class'] === 'WINDOW') return String(column['function_name']).toLowerCase();
  return functionCall(column)?.name.replace(WAREHOUSE, '') ?? '';
}

/** Translates `x[OFFSET(n)]`, and any other `x[…]`. */
function translateElement(node: SqlNode): SqlNode {
  const [base, index] = node['children'] as readonly unknown[];
  const element = functionCall(index);
  if (element === undefined || !element.name.startsWith('element_')) {
    if (typeof constantValue(index) !== 'number') return translateChildren(node);
    throw new Untranslatable(
      'A position in […] is ambiguous: 0-based in warehouses, 1-based in the engine. Write [OFFSET(n)] or [ORDINAL(n)].',
      node,
      index,
      base,
    );
  }
  return { ...elementOf(translate(base, 'json'), element), alias: node['alias'] };
}

/**
 * Translates `FROM UNNEST(list) AS x`, where `x` is the element, not a row of it. A path into JSON is the list at its
 * end.
 */
function translateTable(node: SqlNode): SqlNode {
  const table = node['function'] as SqlNode;
  const given = functionCall(table);
  if (given?.name !== 'unnest') return node;
  const names = node['column_name_alias'] as readonly unknown[];
  const [list, ...rest] = given.args;
  const path = functionCall(list);
  const isJson = path?.name === 'json_extract' && path.args.length === 2;
  const made = isJson ? call(`${WAREHOUSE}json_query_array`, path.args) : list;
  const isNamed = names.length > 0 || node['alias'] === '';
  return {
    ...node,
    function: made === list ? table : { ...table, children: [made, ...rest] },
    column_name_alias: isNamed ? names : [node['alias']],
  };
}

const ARITHMETIC = new Set(['+', '-', '*', '/', '//', '%', '^', '**']);
const OF_NUMBERS =
  /^(sum|avg|mean|median|stddev\w*|var_\w+|variance|approx_quantiles?|quantile\w*|round|floor|ceil|ceiling|abs|sqrt|ln|log\w*|pow|power|safe_\w+|div|mod|ieee_divide|percentile_\w+|trunc|sign)$/;
const OF_ANYTHING =
  /^(json\w*|to_json\w*|count|countif|count_if|array_agg|list|any_value|first|last|typeof|arg_m\w+|unnest|approx_top_count|contains_substr|to_json\w*|(?:warehouse_)?(?:bool|int64|float64|string))$/;

/** Returns the type in which JSON values directly below a node are used. */
function wantedOf(node: SqlNode): Wanted {
  switch (node['class']) {
    case 'COMPARISON':
      return isNumeric(node['left']) || isNumeric(node['right']) ? 'number' : 'text';
    case 'BETWEEN':
      return isNumeric(node['lower']) || isNumeric(node['upper']) ? 'number' : 'text';
    case 'OPERATOR':
      return (node['children'] as readonly unknown[]).some(isNumeric) ? 'number' : 'text';
    case 'CAST':
      return 'text';
    case 'WINDOW':
    case 'FUNCTION': {
      const name = String(node['function_name']).toLowerCase();
      if (node['is_operator'] === true) return ARITHMETIC.has(name) ? 'number' : 'text';
      if (OF_ANYTHING.test(name)) return 'json';
      return OF_NUMBERS.test(name) ? 'number' : 'text';
    }
    default:
      return 'json';
  }
}

/** Returns true for a number, also with a sign. */
function isNumeric(node: unknown): boolean {
  if (isNumber(node)) return true;
  if (!isNode(node) || node['class'] !== 'FUNCTION' || node['function_name'] !== '-') return false;
  const children = node['children'] as readonly unknown[];
  return children.length === 1 && isNumber(children[0]);
}

function lastStep(path: string): string {
  return /\."((?:[^"\\]|\\.)*)"(?:\[\d+\])*$/.exec(path)?.[1]?.replaceAll('\\"', '"') ?? '';
}

/** Maps an array; returns the same array when `change` changes none of its items. */
function mapSame<Item>(items: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  let isChanged = false;
  const changed = items.map((item) => {
    const result = change(item);
    if (result !== item) isChanged = true;
    return result;
  });
  return isChanged ? changed : items;
}

/** Types of the warehouse that DuckDB has under another name. */
const TYPES: Readonly<Record<string, string>> = {
  float64: 'DOUBLE',
  bytes: 'BLOB',
};

/** Types of the warehouse whose casts round or refuse where DuckDB's do not; their macros. */
const CASTS: Readonly<Record<string, string>> = {
  warehouse_int64: 'int64_cast',
  warehouse_bool: 'bool_cast',
  warehouse_boolean: 'bool_cast',
  warehouse_string: 'string_cast',
  warehouse_bytes: 'bytes_cast',
};

/** Translates the type of a cast. @throws Untranslatable for a type that DuckDB lacks. */
function translateCast(node: SqlNode): SqlNode {
  if (node['class'] !== 'CAST') return node;
  const castType = node['cast_type'];
  if (!isNode(castType) || !isNode(castType['type_info'])) return node;
  const given = String(castType['type_info']['name']).toLowerCase();
  if (given === 'bignumeric' || given === 'bigdecimal') {
    throw new Untranslatable(
      `${given.toUpperCase()} has more digits than the engine supports. Use NUMERIC (9 after the point) or FLOAT64.`,
      node,
      node['child'],
    );
  }
  const cast = Object.hasOwn(CASTS, given) ? CASTS[given] : undefined;
  if (cast !== undefined) {
    const isTry = node['try_cast'] === true;
    return { ...call(WAREHOUSE + (isTry ? `try_${cast}` : cast), [node['child']]), alias: node['alias'] };
  }
  const name = Object.hasOwn(TYPES, given) ? TYPES[given] : undefined;
  return name === undefined ? node : { ...node, cast_type: { id: name, type_info: null } };
}
