import { SEVERITIES } from '@berth/contract';

/** Fields of a stored entry, as DuckDB parses them from its JSON. */
const FIELDS = JSON.stringify({
  timestamp: 'VARCHAR',
  logName: 'VARCHAR',
  severity: 'VARCHAR',
  message: 'VARCHAR',
  jsonPayload: 'JSON',
  httpRequest: {
    method: 'VARCHAR',
    url: 'VARCHAR',
    status: 'INTEGER',
    latencyMs: 'DOUBLE',
    requestSize: 'BIGINT',
    responseSize: 'BIGINT',
    remoteIp: 'VARCHAR',
    userAgent: 'VARCHAR',
    protocol: 'VARCHAR',
    coldStart: 'JSON',
    resume: 'JSON',
  },
  revision: 'VARCHAR',
  instance: 'VARCHAR',
  trace: 'VARCHAR',
  labels: 'JSON',
});

/**
 * Returns SQL that selects the columns of a Parquet segment from `source`, which has a column `json` with an entry as
 * in line segments.
 */
export function selectColumns(source: string): string {
  const severities = SEVERITIES.map((severity) => `'${severity}'`).join(', ');
  return `SELECT
  entry.timestamp[:-2]::TIMESTAMP_NS AS timestamp,
  (list_position([${severities}], entry.severity) - 1)::UTINYINT AS severity,
  entry.severity AS severity_name,
  entry.logName AS log_name,
  entry.message AS message,
  entry.jsonPayload AS json_payload,
  entry.httpRequest.method AS http_method,
  entry.httpRequest.url AS http_url,
  entry.httpRequest.status AS http_status,
  entry.httpRequest.latencyMs AS http_latency_ms,
  entry.httpRequest.requestSize AS http_request_size,
  entry.httpRequest.responseSize AS http_response_size,
  entry.httpRequest.remoteIp AS http_remote_ip,
  entry.httpRequest.userAgent AS http_user_agent,
  entry.httpRequest.protocol AS http_protocol,
  entry.httpRequest.coldStart AS cold_start,
  entry.revision AS revision,
  entry.instance AS instance,
  entry.trace AS trace,
  entry.labels AS labels,
  entry.httpRequest.resume AS resume
FROM (SELECT json_transform(json, '${FIELDS}') AS entry FROM ${source})`;
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
