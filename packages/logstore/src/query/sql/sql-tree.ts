/** A node of a statement, as DuckDB's `json_serialize_sql` returns it. */
export interface SqlNode {
  readonly [field: string]: unknown;
}

const NO_LOCATION = 0;

/** Parses DuckDB's JSON. Numbers that JavaScript would round keep their digits. */
export function readTree(json: string): SqlNode {
  const reviver = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
    const source = context?.source;
    if (typeof value !== 'number' || source === undefined || String(value) === source) return value;
    return rawJson(source);
  };
  return JSON.parse(json, reviver) as SqlNode;
}

/** Returns a value that is exactly `source` in JSON. Source: ECMAScript 2026, JSON.rawJSON; not in the types yet. */
function rawJson(source: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(source);
}

export function isNode(value: unknown): value is SqlNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRaw(value);
}

function isRaw(value: object): boolean {
  return (JSON as unknown as { isRawJSON(value: object): boolean }).isRawJSON(value);
}

/**
 * Folds a name as DuckDB compares names: only ASCII letters ignore case. JavaScript's `toLowerCase` also maps the
 * Kelvin sign to `k`, which would make two names equal that DuckDB distinguishes.
 */
export function foldName(name: unknown): string {
  return String(name).replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Yields the node and everything below it, parents first. */
export function* walkTree(value: unknown): Generator<SqlNode> {
  if (Array.isArray(value)) {
    for (const item of value) yield* walkTree(item);
  } else if (isNode(value)) {
    yield value;
    for (const child of Object.values(value)) yield* walkTree(child);
  }
}

/** Returns the node `name(children…)`, or an operator between two. */
export function call(name: string, children: readonly unknown[], isOperator = false): SqlNode {
  return {
    class: 'FUNCTION',
    type: 'FUNCTION',
    alias: '',
    query_location: NO_LOCATION,
    function_name: name,
    schema: '',
    children,
    filter: null,
    order_bys: { type: 'ORDER_MODIFIER', orders: [] },
    distinct: false,
    is_operator: isOperator,
    export_state: false,
    catalog: '',
  };
}

export function textConstant(value: string): SqlNode {
  return constant('VARCHAR', value);
}

export function numberConstant(value: number): SqlNode {
  // A text with a cast, whatever the number, avoids DuckDB's choice of a type.
  return castTo('DOUBLE', textConstant(String(value)));
}

export function integerConstant(value: number): SqlNode {
  return constant('INTEGER', value);
}

function constant(id: string, value: unknown): SqlNode {
  return {
    class: 'CONSTANT',
    type: 'VALUE_CONSTANT',
    alias: '',
    query_location: NO_LOCATION,
    value: { type: { id, type_info: null }, is_null: false, value },
  };
}

/** Returns a cast to a DuckDB type that has no parameters. */
export function castTo(id: string, child: unknown, isTry = false): SqlNode {
  return {
    class: 'CAST',
    type: 'OPERATOR_CAST',
    alias: '',
    query_location: NO_LOCATION,
    child,
    cast_type: { id, type_info: null },
    try_cast: isTry,
  };
}

export function columnRef(names: readonly string[]): SqlNode {
  return { class: 'COLUMN_REF', type: 'COLUMN_REF', alias: '', query_location: NO_LOCATION, column_names: names };
}

/** Returns the names of a column reference, as written; undefined for other nodes. */
export function columnNames(node: unknown): readonly string[] | undefined {
  return isNode(node) && node['class'] === 'COLUMN_REF' ? (node['column_names'] as string[]) : undefined;
}

/** Returns the value of a constant; undefined for other nodes, and for NULL. */
export function constantValue(node: unknown): unknown {
  if (!isNode(node) || node['class'] !== 'CONSTANT') return undefined;
  const { is_null: isNull, value } = node['value'] as { is_null: boolean; value: unknown };
  return isNull ? undefined : value;
}

/** Returns true for a numeric constant, with or without a sign or a fraction. */
export function isNumber(node: unknown): boolean {
  if (!isNode(node) || node['class'] !== 'CONSTANT') return false;
  const { id } = (node['value'] as { type: { id: string } }).type;
  return id === 'INTEGER' || id === 'BIGINT' || id === 'HUGEINT' || id === 'DOUBLE' || id === 'DECIMAL';
}

/** Returns the name and arguments of a plain function call; undefined for other nodes, including operators. */
export function functionCall(
  node: unknown,
): { readonly name: string; readonly args: readonly unknown[]; readonly alias: string } | undefined {
  if (!isNode(node) || node['class'] !== 'FUNCTION' || node['is_operator'] === true) return undefined;
  return {
    name: foldName(node['function_name']),
    args: node['children'] as readonly unknown[],
    alias: node['alias'] as string,
  };
}
