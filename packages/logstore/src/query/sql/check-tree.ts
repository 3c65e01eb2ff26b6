import { ALLOWED_FUNCTIONS, TABLE_FUNCTIONS } from './allowed-functions.ts';
import { checkSize } from './check-size.ts';
import { queryError } from './sql-error.ts';
import { foldName, isNode, type SqlNode } from './sql-tree.ts';
import { WAREHOUSE_FUNCTIONS } from './warehouse-functions.ts';

/** The relations of a query. Source: docs/contract/control-plane.md §7. */
export const SQL_RELATIONS: readonly string[] = ['logs', 'billing'];

/** Folded names of the common tables that are visible in a part of a statement. */
type Scope = ReadonlySet<string>;

/** A statement that reads nothing but the caller's relations. */
export interface CheckedTree {
  readonly statement: SqlNode;
  /** Folded functions that are not on the allow-list. The caller must refuse those that DuckDB has. */
  readonly unlistedFunctions: readonly string[];
}

/**
 * Refuses anything but one SELECT over the caller's relations. DuckDB itself refuses files and the network; this is the
 * second line of defense, and explains what is wrong.
 *
 * A name in FROM is a relation of the caller, or a common table that DuckDB sees at the same place. A common table is
 * visible in the query that defines it and below: not in its own definition, not in definitions before it, and in a
 * recursive one only in the second term. Elsewhere, DuckDB would find a relation of its own catalog by that name.
 * @param tree as `json_serialize_sql` returns it, with its statements under `statements`.
 */
export function checkTree(tree: SqlNode): CheckedTree {
  const statements = tree['statements'] as readonly SqlNode[];
  const [statement] = statements;
  if (statement === undefined) throw queryError('The query is empty.');
  if (statements.length > 1) throw queryError('Only one statement is allowed. Remove everything after the first ";".');
  const unlisted = new Set<string>();
  checkBelow(statement, new Set(), unlisted);
  return { statement, unlistedFunctions: [...unlisted] };
}

function checkBelow(value: unknown, scope: Scope, unlisted: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) checkBelow(item, scope, unlisted);
  } else if (isNode(value)) {
    checkNode(value, scope, unlisted);
    const own = checkCommonTables(value, scope, unlisted);
    for (const [field, child] of Object.entries(value)) {
      if (field === 'cte_map') continue;
      // A call in FROM has an allow-list of its own; its arguments are ordinary expressions.
      const below =
        value['type'] === 'TABLE_FUNCTION' && field === 'function' ? Object.values(child as SqlNode) : child;
      checkBelow(below, seesItself(value, field) ? withName(own, value['cte_name']) : own, unlisted);
    }
  }
}

/** Checks the definitions of a query's common tables. Returns the scope of the query itself. */
function checkCommonTables(node: SqlNode, scope: Scope, unlisted: Set<string>): Scope {
  const { map = [] } = (node['cte_map'] ?? {}) as {
    map?: readonly { readonly key: string; readonly value: unknown }[];
  };
  let seen = scope;
  for (const { key, value } of map) {
    checkBelow(value, seen, unlisted);
    seen = withName(seen, key);
  }
  return seen;
}

/** Returns true for the term of a recursive common table in which its name stands for the rows so far. */
function seesItself(node: SqlNode, field: string): boolean {
  return node['type'] === 'RECURSIVE_CTE_NODE' && field === 'right';
}

function withName(scope: Scope, name: unknown): Scope {
  return new Set([...scope, foldName(name)]);
}

function checkNode(node: SqlNode, scope: Scope, unlisted: Set<string>): void {
  if (node['class'] === 'FUNCTION' || node['class'] === 'WINDOW') checkFunction(node, unlisted);
  switch (node['type']) {
    case 'SHOW_REF':
      throw queryError(`Only SELECT is supported. The relations are ${SQL_RELATIONS.join(' and ')}.`);
    case 'TABLE_FUNCTION': {
      const { function_name: name } = node['function'] as SqlNode;
      if (!TABLE_FUNCTIONS.has(foldName(name))) throw refusedFunction(String(name));
      break;
    }
    case 'BASE_TABLE':
      checkRelation(node, scope);
      break;
    default:
  }
}

/** A name with a schema or a catalog is never a common table. */
function checkRelation(node: SqlNode, scope: Scope): void {
  const name = foldName(node['table_name']);
  const place = [node['catalog_name'], node['schema_name']].map(foldName).filter((part) => part !== '');
  const isOwn = SQL_RELATIONS.includes(name) && ['', 'main', 'memory.main'].includes(place.join('.'));
  if (isOwn || (place.length === 0 && scope.has(name))) return;
  const written = JSON.stringify(String(node['table_name']).slice(0, 100));
  throw queryError(`No relation is named ${written}. Available: ${SQL_RELATIONS.join(' and ')}.`, 'relation_unknown');
}

function checkFunction(node: SqlNode, unlisted: Set<string>): void {
  const name = foldName(node['function_name']);
  checkSize(name, node['children'] as readonly unknown[]);
  if (!ALLOWED_FUNCTIONS.has(name) && !WAREHOUSE_FUNCTIONS.has(name)) unlisted.add(name);
}

/** @param name as written, or folded. */
export function refusedFunction(name: string) {
  return queryError(`The function ${name.slice(0, 100)} is not supported.`);
}
