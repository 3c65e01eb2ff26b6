import type { LogSnapshot } from '../../ports/log-store.ts';
import { quoteSql, selectColumns } from '../../processes/log-engine/entry-columns.ts';
import { PARQUET_PATH } from '../../segments/segment-name.ts';
import { RESOURCE_TYPE } from '../filter/field-table.ts';
import type { SetUpStatement } from './open-sandbox.ts';
import { LOG_FROM, LOG_UNTIL } from './time-bounds.ts';

/**
 * Returns the statement that creates the relation `logs` of a snapshot, for SQL of its account. Times are UTC when the
 * connection's time zone is. DuckDB skips files and row groups outside the connection's time bounds, when they are set.
 * Source: docs/contract/control-plane.md §7.
 */
export function logsRelation({ accountFolder, files }: Pick<LogSnapshot, 'accountFolder' | 'files'>): SetUpStatement {
  const sql = `CREATE OR REPLACE VIEW logs AS SELECT
  timestamp::TIMESTAMP::TIMESTAMPTZ AS timestamp,
  severity_name AS severity,
  log_name,
  CASE WHEN json_payload IS NULL AND http_method IS NULL THEN message END AS text_payload,
  json_payload::JSON AS json_payload,
  {
    'type': ${quoteSql(RESOURCE_TYPE)},
    'labels': json_object('service_name', deployment, 'revision_name', revision, 'instance_id', instance)
  } AS resource,
  CASE WHEN http_method IS NOT NULL THEN {
    'request_method': http_method,
    'request_url': http_url,
    'request_size': http_request_size,
    'status': http_status,
    'response_size': http_response_size,
    'latency': http_latency_ms / 1000,
    'user_agent': http_user_agent,
    'remote_ip': http_remote_ip,
    'protocol': http_protocol,
    'cold_start': cold_start::JSON
  } END AS http_request,
  trace,
  sha256(${quoteSql(`${accountFolder}/`)} || deployment)[:6] || lower(to_base(epoch_ns(timestamp), 36)) AS insert_id
FROM (${files.length === 0 ? EMPTY : selectFiles(files)})
WHERE (getvariable('${LOG_FROM}') IS NULL OR timestamp >= getvariable('${LOG_FROM}'))
  AND (getvariable('${LOG_UNTIL}') IS NULL OR timestamp < getvariable('${LOG_UNTIL}'))`;
  return { relation: 'logs', sql };
}

const EMPTY = `SELECT *, NULL::VARCHAR AS filename, NULL::VARCHAR AS deployment FROM (${selectColumns('(SELECT NULL::VARCHAR AS json)')}) WHERE false`;

/**
 * Returns SQL of the files' entries. The engine leaves out files by the times in their names before it plans the query:
 * what it does for each file costs more than a comparison. The first file is always read, because there must be one.
 */
function selectFiles(files: readonly string[]): string {
  const list = `[${files.map(quoteSql).join(', ')}]`;
  const within = `list_filter(${list}, lambda file, place: place = 1
    OR regexp_extract(file, '${PARQUET_PATH}', 2) = ''
    OR ((getvariable('${LOG_FROM}') IS NULL OR regexp_extract(file, '${PARQUET_PATH}', 2) >= ${nameOf(LOG_FROM)})
      AND (getvariable('${LOG_UNTIL}') IS NULL OR regexp_extract(file, '${PARQUET_PATH}', 1) < ${nameOf(LOG_UNTIL)})))`;
  return `SELECT *, parse_path(filename)[-2] AS deployment FROM read_parquet(${within}, filename = true)`;
}

/** Returns SQL of a time bound that compares with a time in a file's name. Its fraction may be shorter, which sorts before. */
function nameOf(bound: string): string {
  return `translate(getvariable('${bound}')::VARCHAR, ' :', 'T-')`;
}
