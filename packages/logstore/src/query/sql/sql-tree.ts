/** A node of a statement as the engine's own parser reads it, in the form of its `json_serialize_sql`. */
export interface SqlNode {
  readonly [field: string]: unknown;
}

const NO_LOCATION = 0;

/** Reads the engine's JSON. Numbers that JavaScript would round keep their digits. */
export function readTree(json: string): SqlNode {
  const reviver = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
    const source = context?.source;
    if (typeof value !== 'number' || source === undefined || String(value) === source) return value;
    return rawJson(source);
  };
  return JSON.parse(json, reviver) as SqlNode;
}

/** Stands in JSON for exactly `source`. Source: ECMAScript 2026, JSON.rawJSON; not in the types yet. */
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
 * A name in the form in which the engine compares names: it ignores the case of ASCII letters alone. JavaScript's `toLowerCase` also makes
 * `k` of the Kelvin sign, so that two names would seem the same that the engine tells apart.
 */
export function foldName(name: unknown): string {
  return String(name).replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** The node and all below it, parents first. */
export function* walkTree(value: unknown): Generator<SqlNode> {
  if (Array.isArray(value)) {
    for (const item of value) yield* walkTree(item);
  } else if (isNode(value)) {
    yield value;
    for (const child of Object.values(value)) yield* walkTree(child);
  }
}

/** `name(children…)`, or an operator between two. */
export function call(name: string, children: readonly unknown[], isOperator = false): SqlNode {
  return {
    ...{ class: 'FUNCTION', type: 'FUNCTION', alias: '', query_location: NO_LOCATION, function_name: name, schema: '' },
    ...{ children, filter: null, order_bys: { type: 'ORDER_MODIFIER', orders: [] }, distinct: false },
    ...{ is_operator: isOperator, export_state: false, catalog: '' },
  };
}

export function textConstant(value: string): SqlNode {
  return constant('VARCHAR', value);
}

export function numberConstant(value: number): SqlNode {
  // As text with a cast, whatever the number: it needs no choice of the engine's types.
  return castTo('DOUBLE', textConstant(String(value)));
}

export function integerConstant(value: number): SqlNode {
  return constant('INTEGER', value);
}

function constant(id: string, value: unknown): SqlNode {
  return {
    ...{ class: 'CONSTANT', type: 'VALUE_CONSTANT', alias: '', query_location: NO_LOCATION },
    value: { type: { id, type_info: null }, is_null: false, value },
  };
}

/** A cast to one of the engine's own types that need no more than their name. */
export function castTo(id: string, child: unknown, isTry = false): SqlNode {
  return {
    ...{ class: 'CAST', type: 'OPERATOR_CAST', alias: '', query_location: NO_LOCATION, child },
    ...{ cast_type: { id, type_info: null }, try_cast: isTry },
  };
}

export function columnRef(names: readonly string[]): SqlNode {
  return { class: 'COLUMN_REF', type: 'COLUMN_REF', alias: '', query_location: NO_LOCATION, column_names: names };
}

/** The names of a column reference, as written; undefined for any other node. */
export function columnNames(node: unknown): readonly string[] | undefined {
  return isNode(node) && node['class'] === 'COLUMN_REF' ? (node['column_names'] as string[]) : undefined;
}

/** The value of a constant; undefined for any other node, and for NULL. */
export function constantValue(node: unknown): unknown {
  if (!isNode(node) || node['class'] !== 'CONSTANT') return undefined;
  const { is_null: isNull, value } = node['value'] as { is_null: boolean; value: unknown };
  return isNull ? undefined : value;
}

/** True for a constant that is a number, written with or without a sign or a fraction. */
export function isNumber(node: unknown): boolean {
  if (!isNode(node) || node['class'] !== 'CONSTANT') return false;
  const { id } = (node['value'] as { type: { id: string } }).type;
  return id === 'INTEGER' || id === 'BIGINT' || id === 'HUGEINT' || id === 'DOUBLE' || id === 'DECIMAL';
}

/** The name and arguments of a plain function call; undefined for any other node, operators too. */
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
