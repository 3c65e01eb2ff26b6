import { SEVERITIES, type Severity } from '@berth/contract';
import type { DuckDBConnection, DuckDBValue, Json } from '@duckdb/node-api';
import { createFieldTally, type FieldSurvey, type TalliedEntry } from '../../entry/create-field-tally.ts';
import type { StoredEntry } from '../../entry/log-entry.ts';
import { timestampOfNanos } from '../../entry/timestamp.ts';
import type { SegmentSummary } from '../../ports/segment.ts';
import type { BucketCount, CountRequest, SelectRequest, SelectResult, SurveyRequest } from './engine-protocol.ts';
import { addFields, readWhole, selectWithNames } from './entry-columns.ts';
import { narrowFiles, readNarrowed } from './narrow-files.ts';

/** Payloads of more characters are left out of surveys. */
const PAYLOAD_CHARACTERS = 65_536;

const SURVEYED = `severity_name, log_name, revision, instance, trace, http_method, http_status, http_url, http_remote_ip,
  http_user_agent, http_protocol, labels, CASE WHEN length(json_payload) <= ${PAYLOAD_CHARACTERS} THEN json_payload END AS json_payload`;

/** Returns the entries that `request` asks for. @throws DuckDB's error, also for a missing file. */
export async function selectEntries(connection: DuckDBConnection, request: SelectRequest): Promise<SelectResult> {
  const paths = request.files.map(({ path }) => path);
  const files = await narrowFiles(paths, request.tokens);
  if (files.length === 0) return { entries: [], isCut: false };
  const table = selectWithNames(readNarrowed(files), request.names);
  const values: DuckDBValue[] = [...(request.where?.values ?? [])];
  const conditions = [request.where?.sql ?? 'true'];
  // TIMESTAMP_NS begins in 1677, and logs have no times before 1970.
  if (request.since !== undefined && request.since >= '1970') {
    values.push(request.since.slice(0, -1));
    conditions.push(`timestamp > $${values.length}::TIMESTAMP_NS`);
  }
  const where = conditions.join(' AND ');
  const order = request.from === 'oldest' ? 'ASC' : 'DESC';
  // Timestamps first: sorting complete entries would read every message of the files.
  const times = await connection.runAndReadAll(
    `SELECT epoch_ns(timestamp), severity::INTEGER FROM (${table}) WHERE ${where} ORDER BY timestamp ${order} LIMIT ${request.limit}`,
    values,
  );
  const rows = times.getRows();
  if (rows.length === 0) return { entries: [], isCut: false };
  const found = rows.map(([nanos]) => nanos as bigint);
  // Unknown severities are NULL, and count as 0.
  const severity = Math.min(...rows.map(([, rank]) => Number(rank)));
  const isSevere = severity > 0 ? `severity >= ${severity}` : 'true';
  // Few entries are in few files, and reading all columns of a file costs a read of its footer.
  const timestamps = found.map(timestampOfNanos);
  const read = new Set(files.map(({ path }) => path));
  const holding = request.files.filter(
    ({ path, startsAt, endsAt }) => read.has(path) && timestamps.some((one) => startsAt <= one && one <= endsAt),
  );
  const whole = readWhole(holding.map(({ path }) => path));
  // Compared as stored, so that DuckDB can skip row groups by their statistics; by those of the severity too, since
  // severe entries have row groups of their own.
  const result = await connection.stream(
    `SELECT *, epoch_ns(timestamp) AS nanos FROM (${selectWithNames(whole, request.names)})
     WHERE timestamp IN (${found.map((nanos) => `make_timestamp_ns(${nanos})`).join(', ')}) AND ${isSevere}
     ORDER BY timestamp ${order}`,
  );
  const entries: StoredEntry[] = [];
  let bytes = 0;
  for await (const rows of result.yieldRowObjectJson()) {
    for (const row of rows) {
      bytes += lengthOf(row['message']) + lengthOf(row['json_payload']);
      if (entries.length > 0 && bytes > request.answerBytes) return { entries, isCut: true };
      const entry = {
        timestamp: timestampOfNanos(BigInt(String(row['nanos']))),
        insertId: row['insert_id'],
        logName: row['log_name'],
        severity: SEVERITIES[Number(row['severity'])],
      };
      entries.push(addFields(entry, row) as unknown as StoredEntry);
    }
  }
  return { entries, isCut: false };
}

/** Counts the entries of Parquet files by part of the span and severity. @throws as {@link selectEntries} */
export async function countRows(
  connection: DuckDBConnection,
  { names, span, where, tokens, files: paths }: CountRequest,
): Promise<readonly BucketCount[]> {
  const files = await narrowFiles(paths, tokens);
  if (files.length === 0) return [];
  const { fromMs, buckets } = span;
  const stepMs = (span.untilMs - fromMs) / buckets;
  // The same formula, in the same number type, as `bucketOf` of count-entries.ts.
  const bucket = `least(${buckets - 1}, floor((epoch_ns(timestamp) // 1000000 - ${fromMs})::DOUBLE / ${stepMs}::DOUBLE))`;
  const reader = await connection.runAndReadAll(
    `SELECT (${bucket})::INTEGER, severity::INTEGER, count(*)::DOUBLE FROM (${selectWithNames(readNarrowed(files), names)})
     WHERE ${within(span)} AND (${where?.sql ?? 'true'}) GROUP BY ALL`,
    [...(where?.values ?? [])],
  );
  return reader.getRows().map(([at, severity, entries]) => ({
    bucket: Number(at),
    severity: SEVERITIES[Number(severity)] as Severity,
    entries: Number(entries),
  }));
}

/** Tallies the first `entriesPerFile` matching entries of each file. @throws as {@link selectEntries} */
export async function surveyRows(
  connection: DuckDBConnection,
  { files: paths, names, span, where, tokens, entriesPerFile }: SurveyRequest,
): Promise<FieldSurvey> {
  const files = await narrowFiles(paths, tokens);
  const tally = createFieldTally();
  if (files.length === 0) return tally.result(false);
  const parts = files.map(
    (file) =>
      `(SELECT ${SURVEYED} FROM (${selectWithNames(readNarrowed([file]), names)})
        WHERE ${within(span)} AND (${where?.sql ?? 'true'}) LIMIT ${entriesPerFile})`,
  );
  const result = await connection.stream(parts.join(' UNION ALL '), [...(where?.values ?? [])]);
  for await (const rows of result.yieldRowObjectJson()) {
    for (const row of rows) tally.add(addFields({ severity: row['severity_name'] }, row) as unknown as TalliedEntry);
  }
  return tally.result(false);
}

/** Returns what a Parquet segment contains; undefined when it has no rows. @throws DuckDB's error when it can't be read. */
export async function summarize(connection: DuckDBConnection, path: string): Promise<SegmentSummary | undefined> {
  // Times as numbers: DuckDB's strftime formats nanoseconds wrongly.
  const reader = await connection.runAndReadAll(
    `SELECT epoch_ns(min(timestamp)), epoch_ns(max(timestamp)), count(*), coalesce(bit_or(1 << severity::INTEGER), 0)
     FROM ${readNarrowed([{ path }])}`,
  );
  const [first, last, rows, severities] = reader.getRows()[0] ?? [];
  if (typeof first !== 'bigint' || typeof last !== 'bigint') return undefined;
  return {
    startsAt: timestampOfNanos(first),
    endsAt: timestampOfNanos(last),
    rows: Number(rows),
    severities: Number(severities),
  };
}

/** The latest millisecond since the epoch that TIMESTAMP_NS can represent. Logs have no times before 1970. */
const LAST_MS = 9_223_372_036_853;

/** Returns a condition on `timestamp`, in a form by which DuckDB can skip row groups. */
function within({ fromMs, untilMs }: SurveyRequest['span']): string {
  const bound = (ms: number) => `make_timestamp_ns(${BigInt(Math.min(Math.max(ms, 0), LAST_MS)) * 1_000_000n})`;
  return `timestamp >= ${bound(fromMs)} AND timestamp < ${bound(untilMs)}`;
}

function lengthOf(value: Json | undefined): number {
  return typeof value === 'string' ? value.length : 0;
}
