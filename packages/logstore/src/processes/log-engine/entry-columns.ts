import { SEVERITIES } from '@berth/contract';
import type { Json } from '@duckdb/node-api';

/**
 * Columns of a Parquet segment that hold a field of an entry as it is, with the field's path and type. Columns of later
 * versions are at the end.
 */
const FIELD_COLUMNS: readonly (readonly [column: string, path: string, type: string])[] = [
  ['log_name', 'logName', 'VARCHAR'],
  ['message', 'message', 'VARCHAR'],
  ['json_payload', 'jsonPayload', 'JSON'],
  ['http_method', 'httpRequest.method', 'VARCHAR'],
  ['http_url', 'httpRequest.url', 'VARCHAR'],
  ['http_status', 'httpRequest.status', 'INTEGER'],
  ['http_latency_ms', 'httpRequest.latencyMs', 'DOUBLE'],
  ['http_request_size', 'httpRequest.requestSize', 'BIGINT'],
  ['http_response_size', 'httpRequest.responseSize', 'BIGINT'],
  ['http_remote_ip', 'httpRequest.remoteIp', 'VARCHAR'],
  ['http_user_agent', 'httpRequest.userAgent', 'VARCHAR'],
  ['http_protocol', 'httpRequest.protocol', 'VARCHAR'],
  ['cold_start', 'httpRequest.coldStart', 'JSON'],
  ['revision', 'revision', 'VARCHAR'],
  ['instance', 'instance', 'VARCHAR'],
  ['trace', 'trace', 'VARCHAR'],
  ['labels', 'labels', 'JSON'],
  ['resume', 'httpRequest.resume', 'JSON'],
];
const HTTP = 'httpRequest.';

/**
 * Returns SQL that selects the columns of a Parquet segment from `source`, which has a column `json` with an entry as
 * in line segments.
 */
export function selectColumns(source: string): string {
  const types: Record<string, unknown> = { timestamp: 'VARCHAR', severity: 'VARCHAR' };
  const httpTypes: Record<string, string> = {};
  for (const [, path, type] of FIELD_COLUMNS) {
    if (path.startsWith(HTTP)) httpTypes[path.slice(HTTP.length)] = type;
    else types[path] = type;
  }
  const entry = JSON.stringify({ ...types, httpRequest: httpTypes });
  const severities = SEVERITIES.map((severity) => `'${severity}'`).join(', ');
  return `SELECT
  entry.timestamp[:-2]::TIMESTAMP_NS AS timestamp,
  (list_position([${severities}], entry.severity) - 1)::UTINYINT AS severity,
  entry.severity AS severity_name,
  ${FIELD_COLUMNS.map(([column, path]) => `entry.${path} AS ${column}`).join(',\n  ')}
FROM (SELECT json_transform(json, '${entry}') AS entry FROM ${source})`;
}

/** A row of a segment, as DuckDB's client returns it in JSON. */
export type Row = Readonly<Record<string, Json>>;

/** Adds the fields that a row holds to `entry`, and returns it. Columns that are missing or NULL set nothing. */
export function addFields(entry: Record<string, unknown>, row: Row): Record<string, unknown> {
  for (const [column, path, type] of FIELD_COLUMNS) {
    const value = row[column];
    if (value === undefined || value === null) continue;
    const read = type === 'JSON' ? JSON.parse(String(value)) : type === 'BIGINT' ? Number(value) : value;
    if (!path.startsWith(HTTP)) entry[path] = read;
    else entry['httpRequest'] = { ...(entry['httpRequest'] as object | undefined), [path.slice(HTTP.length)]: read };
  }
  return entry;
}

/** Properties shared by the entries of one log. `scopeTag` is part of their ids; see `toStoredEntry`. */
export interface LogNames {
  readonly deployment: string;
  readonly scopeTag: string;
}

/**
 * Returns SQL that adds the columns that a segment does not store: the deployment, and the ids, which follow from the
 * timestamps.
 */
export function selectWithNames(source: string, { deployment, scopeTag }: LogNames): string {
  return `SELECT *, ${quoteSql(deployment)} AS deployment,
  ${quoteSql(scopeTag)} || lower(to_base(epoch_ns(timestamp), 36)) AS insert_id
FROM ${source}`;
}

/**
 * Returns SQL that reads Parquet segments with all their columns; a column added after a segment was written is NULL in
 * it.
 */
export function readWhole(files: readonly string[]): string {
  return `read_parquet([${files.map(quoteSql).join(', ')}], union_by_name = true)`;
}

/** Returns a text as an SQL literal. DuckDB has no escape in it other than the doubled quote. */
export function quoteSql(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
