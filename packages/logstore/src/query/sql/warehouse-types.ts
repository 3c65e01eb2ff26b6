import { call, isNode, type SqlNode } from './sql-tree.ts';
import { WAREHOUSE } from './translate-text.ts';
import { untranslatable } from './untranslatable.ts';

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
export function translateCast(node: SqlNode): SqlNode {
  if (node['class'] !== 'CAST') return node;
  const castType = node['cast_type'];
  if (!isNode(castType) || !isNode(castType['type_info'])) return node;
  const given = String(castType['type_info']['name']).toLowerCase();
  if (given === 'bignumeric' || given === 'bigdecimal') {
    throw untranslatable(
      `${given.toUpperCase()} has more digits than the engine keeps. Use NUMERIC (9 after the point) or FLOAT64.`,
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
