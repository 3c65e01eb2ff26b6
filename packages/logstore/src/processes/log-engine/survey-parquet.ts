import type { DuckDBConnection, Json } from '@duckdb/node-api';
import { createFieldTally, type TalliedEntry } from '../../entry/create-field-tally.ts';
import type { SurveyRequest, SurveyResult } from './engine-protocol.ts';
import { quoteSql, selectWithNames } from './entry-columns.ts';
import { spanSql } from './span-sql.ts';

/** Payloads of more characters are skipped. */
const PAYLOAD_CHARACTERS = 65_536;

const COLUMNS = `severity_name, log_name, revision, instance, trace, http_method, http_status, http_url, http_remote_ip,
  http_user_agent, http_protocol, labels, CASE WHEN length(json_payload) <= ${PAYLOAD_CHARACTERS} THEN json_payload END AS json_payload`;

/**
 * Tallies the first `entriesPerFile` matching entries of each file. @throws DuckDB's error, also for a missing file.
 */
export async function surveyParquet(connection: DuckDBConnection, request: SurveyRequest): Promise<SurveyResult> {
  const { files, names, span, where, entriesPerFile } = request;
  const parts = files.map(
    (file) =>
      `(SELECT ${COLUMNS} FROM (${selectWithNames(`read_parquet(${quoteSql(file)})`, names)})
        WHERE ${spanSql(span)} AND (${where?.sql ?? 'true'}) LIMIT ${entriesPerFile})`,
  );
  const result = await connection.stream(parts.join(' UNION ALL '), [...(where?.values ?? [])]);
  const tally = createFieldTally();
  for await (const rows of result.yieldRowObjectJson()) for (const row of rows) tally.add(toEntry(row));
  return { survey: tally.result(false) };
}

type Row = Readonly<Record<string, Json>>;

function toEntry(row: Row): TalliedEntry {
  const http = {
    method: row['http_method'],
    status: row['http_status'],
    url: row['http_url'],
    remoteIp: row['http_remote_ip'],
    userAgent: row['http_user_agent'],
    protocol: row['http_protocol'],
  };
  const entry = {
    severity: row['severity_name'],
    logName: row['log_name'],
    revision: row['revision'],
    instance: row['instance'],
    trace: row['trace'],
    httpRequest: http.method === null ? undefined : http,
    labels: parseJson(row['labels']),
    jsonPayload: parseJson(row['json_payload']),
  };
  return entry as TalliedEntry;
}

function parseJson(value: Json | undefined): unknown {
  return typeof value === 'string' ? JSON.parse(value) : undefined;
}
