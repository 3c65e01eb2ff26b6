import { isNode, type SqlNode } from './sql-tree.ts';

/** The warehouse's names of types that the engine has under another. */
const TYPES: Readonly<Record<string, string>> = {
  float64: 'DOUBLE',
  bytes: 'BLOB',
  bignumeric: 'DOUBLE',
};

/** Puts the engine's type into a cast to one of the warehouse's. */
export function translateCast(node: SqlNode): SqlNode {
  if (node['class'] !== 'CAST') return node;
  const castType = node['cast_type'];
  if (!isNode(castType) || !isNode(castType['type_info'])) return node;
  const name = TYPES[String(castType['type_info']['name']).toLowerCase()];
  return name === undefined ? node : { ...node, cast_type: { id: name, type_info: null } };
}
