import type { DuckDBConnection } from '@duckdb/node-api';
import { normalizeTimestamp, timestampMs } from '../../entry/timestamp.ts';
import { columnNames, constantValue, isNode, readTree, type SqlNode, walkTree } from './sql-tree.ts';

/** Lower and upper bounds on the times of all rows that a query reads, as trees of expressions without columns. */
export interface TimeBounds {
  readonly from: readonly SqlNode[];
  readonly until: readonly SqlNode[];
}

const NONE: TimeBounds = { from: [], until: [] };

/**
 * Functions whose results depend only on their arguments and the query's own time, so they can be evaluated beforehand.
 */
const STEADY = new Set(
  `+ - now get_current_timestamp today date_trunc trunc to_microseconds to_milliseconds to_seconds to_minutes to_hours to_days to_weeks
   to_months to_years to_timestamp epoch_ms make_timestamp make_timestamptz strptime`.split(/\s+/),
);
const STEADY_WORDS = new Set(['current_timestamp', 'current_date']);

/**
 * Returns the time bounds of `logs` in a checked and translated statement that reads it once, in a FROM of nothing
 * else, and compares `timestamp` in the AND of its WHERE. Any other statement has no bounds, which only avoid reads.
 */
export function findTimeBounds(statement: SqlNode): TimeBounds {
  const nodes = [...walkTree(statement)];
  const isLogs = (node: unknown) =>
    isNode(node) && node['type'] === 'BASE_TABLE' && String(node['table_name']).toLowerCase() === 'logs';
  if (nodes.filter(isLogs).length !== 1) return NONE;
  const select = nodes.find((node) => node['type'] === 'SELECT_NODE' && isLogs(node['from_table']));
  if (!select || nodes.some(namesLogs)) return NONE;
  const table = select['from_table'] as SqlNode;
  const columns = select['select_list'] as readonly SqlNode[];
  const isRenamed = columns.some((column) => String(column['alias']).toLowerCase() === 'timestamp');
  if (isRenamed || table['sample'] || (table['column_name_alias'] as readonly unknown[]).length > 0) return NONE;
  const found = conjuncts(select['where_clause']).map(boundsOf);
  return { from: found.flatMap((one) => one.from), until: found.flatMap((one) => one.until) };
}

/** Returns true when a common table has the name. */
function namesLogs(node: SqlNode): boolean {
  const entries = (node['cte_map'] as { map?: readonly { key: string }[] } | undefined)?.map ?? [];
  return entries.some(({ key }) => key.toLowerCase() === 'logs') || String(node['cte_name']).toLowerCase() === 'logs';
}

function conjuncts(where: unknown): readonly SqlNode[] {
  if (!isNode(where)) return [];
  if (where['type'] !== 'CONJUNCTION_AND') return [where];
  return (where['children'] as readonly unknown[]).flatMap(conjuncts);
}

const MIRRORED: Readonly<Record<string, string>> = {
  COMPARE_GREATERTHAN: 'COMPARE_LESSTHAN',
  COMPARE_GREATERTHANOREQUALTO: 'COMPARE_LESSTHANOREQUALTO',
  COMPARE_LESSTHAN: 'COMPARE_GREATERTHAN',
  COMPARE_LESSTHANOREQUALTO: 'COMPARE_GREATERTHANOREQUALTO',
};

function boundsOf(claim: SqlNode): TimeBounds {
  if (claim['type'] === 'COMPARE_BETWEEN' && isTime(claim['input'])) {
    return { from: steady(claim['lower']), until: steady(claim['upper']) };
  }
  const { left, right, type } = claim;
  if (isTime(left)) return sided(String(type), right);
  return isTime(right) ? sided(MIRRORED[String(type)] ?? '', left) : NONE;
}

function sided(type: string, value: unknown): TimeBounds {
  if (type.startsWith('COMPARE_GREATERTHAN')) return { from: steady(value), until: [] };
  return type.startsWith('COMPARE_LESSTHAN') ? { from: [], until: steady(value) } : NONE;
}

function isTime(node: unknown): boolean {
  const names = columnNames(node);
  return names !== undefined && names.length <= 2 && names.at(-1)?.toLowerCase() === 'timestamp';
}

function steady(value: unknown): SqlNode[] {
  if (!isNode(value)) return [];
  const isSteady = [...walkTree(value)].every((node) => {
    if (node['class'] === 'FUNCTION') return STEADY.has(String(node['function_name']).toLowerCase());
    if (node['class'] === 'COLUMN_REF') return STEADY_WORDS.has(String(columnNames(node)?.join('.')).toLowerCase());
    return node['class'] === undefined || ['CONSTANT', 'CAST'].includes(String(node['class']));
  });
  return isSteady ? [value] : [];
}

/** Variables that the relation `logs` uses: TIMESTAMP_NS, or not set. They belong to a connection. */
export const LOG_FROM = 'log_from';
export const LOG_UNTIL = 'log_until';

/**
 * SQL timestamps have microseconds, so a row may be a microsecond later than it compares, and a bound of nanoseconds may
 * be rounded up.
 */
const DIGIT_NANOS = 2_000n;
/** The query's own `now()` comes a little after this one. */
const MOMENT_NANOS = 1_000_000_000n;
/** The range of TIMESTAMP_NS, minus a margin for those. */
const MAX_NANOS = 2n ** 63n - 2n * MOMENT_NANOS;

/** Sets the bounds for the connection's next query. An expression that fails here is left to fail in the query. */
export async function setTimeBounds(connection: DuckDBConnection, { from, until }: TimeBounds): Promise<void> {
  const latestFrom = (await nanosOf(connection, from)).at(-1);
  const earliestUntil = (await nanosOf(connection, until)).at(0);
  const slack = until.every(isConstant) ? DIGIT_NANOS : MOMENT_NANOS;
  const settings = [
    ...(latestFrom === undefined ? [] : [`${LOG_FROM} = make_timestamp_ns(${latestFrom}::BIGINT)`]),
    ...(earliestUntil === undefined ? [] : [`${LOG_UNTIL} = make_timestamp_ns(${earliestUntil + slack}::BIGINT)`]),
  ];
  if (settings.length > 0) await connection.run(settings.map((one) => `SET VARIABLE ${one}`).join('; '));
}

function isConstant(expression: SqlNode): boolean {
  return [...walkTree(expression)].every((node) => node['class'] !== 'FUNCTION' && node['class'] !== 'COLUMN_REF');
}

/** Returns the expressions' values in nanoseconds since the epoch, ascending. */
async function nanosOf(connection: DuckDBConnection, expressions: readonly SqlNode[]): Promise<bigint[]> {
  if (expressions.length === 0) return [];
  const constants = expressions.map((one) => microsOfText(constantValue(one)));
  if (constants.every((micros) => micros !== undefined)) return inOrder(constants);
  try {
    const rows = async (sql: string, values: readonly string[] = []) =>
      (await connection.runAndReadAll(sql, [...values])).getRows();
    const [[template] = []] = await rows("SELECT json_serialize_sql('SELECT 1')");
    const tree = readTree(String(template));
    const [statement] = tree['statements'] as readonly { readonly node: SqlNode }[];
    const made = { ...statement, node: { ...statement?.node, select_list: expressions } };
    const json = JSON.stringify({ ...tree, statements: [made] });
    const [[select] = []] = await rows('SELECT json_deserialize_sql($1::JSON)', [json]);
    const names = expressions.map((_, index) => `e${index}`);
    const micros = names.map((name) => `epoch_us(${name}::TIMESTAMPTZ)`).join(', ');
    const [values = []] = await rows(`SELECT ${micros} FROM (${String(select)}) AS t(${names.join(', ')})`);
    return inOrder(values.filter((value) => typeof value === 'bigint'));
  } catch {
    return [];
  }
}

function inOrder(micros: readonly bigint[]): bigint[] {
  return micros.map((one) => clamp(one * 1_000n)).sort((one, other) => (one < other ? -1 : Number(one > other)));
}

/** A time as entries have it. */
const UTC_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

/** Returns a time in microseconds since the epoch, rounded down; undefined for forms that DuckDB must read. */
function microsOfText(text: unknown): bigint | undefined {
  if (typeof text !== 'string' || !UTC_TIME.test(text)) return undefined;
  const timestamp = normalizeTimestamp(text);
  return BigInt(timestampMs(timestamp)) * 1_000n + BigInt(timestamp.slice(23, 26));
}

function clamp(nanos: bigint): bigint {
  if (nanos > MAX_NANOS) return MAX_NANOS;
  return nanos < -MAX_NANOS ? -MAX_NANOS : nanos;
}
