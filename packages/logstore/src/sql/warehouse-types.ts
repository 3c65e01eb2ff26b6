import { queryError } from './sql-error.ts';
import { isNode, type SqlNode } from './sql-tree.ts';

/** The warehouse's names of types that the engine has under another. */
const TYPES: Readonly<Record<string, string>> = {
  float64: 'DOUBLE',
  bytes: 'BLOB',
};

/** Puts the engine's type into a cast to one of the warehouse's. */
export function translateCast(node: SqlNode): SqlNode {
  if (node['class'] !== 'CAST') return node;
  const castType = node['cast_type'];
  if (!isNode(castType) || !isNode(castType['type_info'])) return node;
  const given = String(castType['type_info']['name']).toLowerCase();
  if (given === 'bignumeric' || given === 'bigdecimal') {
    throw queryError(
      `${given.toUpperCase()} has more digits than the engine keeps. Use NUMERIC (9 after the point) or FLOAT64.`,
    );
  }
  const name = TYPES[given];
  return name === undefined ? node : { ...node, cast_type: { id: name, type_info: null } };
}
