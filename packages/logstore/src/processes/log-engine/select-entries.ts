import { SEVERITIES } from '@berth/contract';
import type { DuckDBConnection, DuckDBValue, Json } from '@duckdb/node-api';
import type { StoredEntry } from '../../entry/log-entry.ts';
import { timestampOfNanos } from '../../entry/timestamp.ts';
import type { SelectRequest, SelectResult } from './engine-protocol.ts';
import { quoteSql, readWhole, selectWithNames } from './entry-columns.ts';

/** Returns the entries that `request` asks for. @throws DuckDB's error, also for a missing file. */
export async function selectEntries(connection: DuckDBConnection, request: SelectRequest): Promise<SelectResult> {
  const files = `read_parquet([${request.files.map(({ path }) => quoteSql(path)).join(', ')}])`;
  const table = `(${selectWithNames(files, request.names)})`;
  const values: DuckDBValue[] = [...(request.where?.values ?? [])];
  const conditions = [request.where?.sql ?? 'true'];
  if (request.since !== undefined) {
    values.push(request.since.slice(0, -1));
    conditions.push(`timestamp > $${values.length}::TIMESTAMP_NS`);
  }
  const where = conditions.join(' AND ');
  const order = request.from === 'oldest' ? 'ASC' : 'DESC';
  // Timestamps first: sorting complete entries would read every message of the files.
  const times = await connection.runAndReadAll(
    `SELECT epoch_ns(timestamp) FROM ${table} WHERE ${where} ORDER BY timestamp ${order} LIMIT ${request.limit}`,
    values,
  );
  const found = times.getRows().map(([nanos]) => nanos as bigint);
  if (found.length === 0) return { entries: [], isCut: false };
  // Few entries are in few files, and reading all columns of a file costs a read of its footer.
  const timestamps = found.map(timestampOfNanos);
  const holding = request.files.filter(({ startsAt, endsAt }) =>
    timestamps.some((one) => startsAt <= one && one <= endsAt),
  );
  const whole = readWhole(holding.map(({ path }) => path));
  // Compared as stored, so that DuckDB can skip row groups by their statistics.
  const result = await connection.stream(
    `SELECT *, epoch_ns(timestamp) AS nanos FROM (${selectWithNames(whole, request.names)})
     WHERE timestamp IN (${found.map((nanos) => `make_timestamp_ns(${nanos})`).join(', ')})
     ORDER BY timestamp ${order}`,
  );
  const entries: StoredEntry[] = [];
  let bytes = 0;
  for await (const rows of result.yieldRowObjectJson()) {
    for (const row of rows) {
      bytes += lengthOf(row['message']) + lengthOf(row['json_payload']);
      if (entries.length > 0 && bytes > request.answerBytes) return { entries, isCut: true };
      entries.push(toEntry(row));
    }
  }
  return { entries, isCut: false };
}

type Row = Readonly<Record<string, Json>>;

function lengthOf(value: Json | undefined): number {
  return typeof value === 'string' ? value.length : 0;
}

function toEntry(row: Row): StoredEntry {
  const entry = {
    timestamp: timestampOfNanos(BigInt(String(row['nanos']))),
    insertId: row['insert_id'],
    logName: row['log_name'],
    severity: SEVERITIES[Number(row['severity'])],
    message: row['message'],
    jsonPayload: parseJson(row['json_payload']),
    httpRequest: row['http_method'] === null ? undefined : toHttpRequest(row),
    revision: row['revision'],
    instance: row['instance'],
    trace: row['trace'],
    labels: parseJson(row['labels']),
  };
  return dropEmpty(entry) as unknown as StoredEntry;
}

function toHttpRequest(row: Row) {
  return dropEmpty({
    method: row['http_method'],
    url: row['http_url'],
    status: row['http_status'],
    latencyMs: row['http_latency_ms'],
    requestSize: Number(row['http_request_size']),
    responseSize: Number(row['http_response_size']),
    remoteIp: row['http_remote_ip'],
    userAgent: row['http_user_agent'],
    protocol: row['http_protocol'],
    coldStart: parseJson(row['cold_start']),
    resume: parseJson(row['resume']),
  });
}

function parseJson(value: Json | undefined): unknown {
  return typeof value === 'string' ? JSON.parse(value) : undefined;
}

function dropEmpty(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}
