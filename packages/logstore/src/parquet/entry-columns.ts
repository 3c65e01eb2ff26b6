import { SEVERITIES } from '@berth/contract';

/** Fields of a stored entry as DuckDB reads them out of its JSON. */
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
  },
  revision: 'VARCHAR',
  instance: 'VARCHAR',
  trace: 'VARCHAR',
  labels: 'JSON',
});

/**
 * SQL that makes the columns of `toSql` (see there) of rows with a column `json`: an entry's JSON as the segments hold
 * it. `deployment` and `scopeTag` are what the entries of one log have in common, as SQL text.
 */
export function selectEntryColumns(source: string, deployment: string, scopeTag: string): string {
  const severities = SEVERITIES.map((severity) => `'${severity}'`).join(', ');
  return `SELECT
  entry.timestamp[:-2]::TIMESTAMP_NS AS timestamp,
  (list_position([${severities}], entry.severity) - 1)::UTINYINT AS severity,
  entry.logName AS log_name,
  entry.message AS message,
  entry.jsonPayload::VARCHAR AS json_payload,
  entry.httpRequest.method AS http_method,
  entry.httpRequest.url AS http_url,
  entry.httpRequest.status AS http_status,
  entry.httpRequest.latencyMs AS http_latency_ms,
  entry.httpRequest.requestSize AS http_request_size,
  entry.httpRequest.responseSize AS http_response_size,
  entry.httpRequest.remoteIp AS http_remote_ip,
  entry.httpRequest.userAgent AS http_user_agent,
  entry.httpRequest.protocol AS http_protocol,
  entry.httpRequest.coldStart::VARCHAR AS cold_start,
  entry.revision AS revision,
  entry.instance AS instance,
  entry.trace AS trace,
  entry.labels::VARCHAR AS labels,
  ${deployment} AS deployment,
  ${scopeTag} || lower(to_base(epoch_ns(entry.timestamp[:-2]::TIMESTAMP_NS), 36)) AS insert_id
FROM (SELECT json_transform(json, '${FIELDS}') AS entry FROM ${source})`;
}
