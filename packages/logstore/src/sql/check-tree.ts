import { queryError } from './sql-error.ts';
import { isNode, type SqlNode, walkTree } from './sql-tree.ts';

/** The only relations there are. Source: spec control-plane 7. */
export const SQL_RELATIONS: readonly string[] = ['logs', 'billing'];

/** Functions in FROM that read nothing but their arguments. */
const TABLE_FUNCTIONS = new Set(['range', 'generate_series', 'unnest', 'json_each', 'json_tree', 'repeat']);

/** Functions that tell of the engine, or reach out of the query. */
const FORBIDDEN_FUNCTIONS = new Set([
  ...['current_setting', 'getenv', 'getvariable', 'current_database', 'current_schema', 'current_schemas'],
  ...['current_query', 'currval', 'nextval', 'txid_current', 'version', 'pg_typeof_oid', 'in_search_path'],
  ...['json_execute_serialized_sql', 'json_serialize_sql', 'json_serialize_plan', 'json_deserialize_sql'],
  ...['write_log', 'parse_duckdb_log_message', 'add_parquet_key', 'query', 'query_table', 'read_text', 'read_blob'],
  ...['icu_sort_key_settings', 'set_bit_settings', 'current_connection_id', 'current_transaction_id'],
]);

const FORBIDDEN_PREFIXES = ['duckdb_', 'pragma_', 'pg_', 'has_', 'read_', 'parquet_', 'test_', 'sql_auto_complete'];

/**
 * Refuses what a query must not do: anything but one SELECT over the caller's relations. The engine refuses files and the
 * network by itself; this is the second wall, and it tells what is wrong in a sentence.
 * @param tree as `json_serialize_sql` made it, its statements under `statements`.
 * @returns the statement.
 */
export function checkTree(tree: SqlNode): SqlNode {
  const statements = tree['statements'] as readonly SqlNode[];
  const [statement] = statements;
  if (statement === undefined) throw queryError('The query is empty.');
  if (statements.length > 1) throw queryError('One statement at a time: remove what comes after the first ";".');
  const local = new Set<string>();
  for (const node of walkTree(statement)) {
    const entries = (node['cte_map'] as { map?: readonly { key: string }[] } | undefined)?.map ?? [];
    for (const { key } of entries) local.add(key.toLowerCase());
    if (node['type'] === 'RECURSIVE_CTE_NODE') local.add(String(node['cte_name']).toLowerCase());
  }
  for (const node of walkTree(statement)) checkNode(node, local);
  return statement;
}

function checkNode(node: SqlNode, local: ReadonlySet<string>): void {
  switch (node['type']) {
    case 'SHOW_REF':
      throw queryError(`Only SELECT is possible here. The relations are ${SQL_RELATIONS.join(' and ')}.`);
    case 'TABLE_FUNCTION': {
      const name = functionName(node['function']);
      if (!TABLE_FUNCTIONS.has(name)) throw queryError(`The function ${name} can not be used here.`);
      break;
    }
    case 'BASE_TABLE': {
      const name = String(node['table_name']).toLowerCase();
      if (SQL_RELATIONS.includes(name)) break;
      const isQualified = node['schema_name'] !== '' || node['catalog_name'] !== '';
      if (!isQualified && local.has(name)) break;
      throw queryError(
        `There is no relation named ${JSON.stringify(String(node['table_name']).slice(0, 100))}. There are ${SQL_RELATIONS.join(' and ')}.`,
        'relation_unknown',
      );
    }
    case 'FUNCTION': {
      const name = functionName(node);
      if (FORBIDDEN_FUNCTIONS.has(name) || FORBIDDEN_PREFIXES.some((prefix) => name.startsWith(prefix))) {
        throw queryError(`The function ${name} can not be used here.`);
      }
      break;
    }
    default:
  }
}

function functionName(node: unknown): string {
  return isNode(node) ? String(node['function_name']).toLowerCase() : '';
}
