import { SEVERITIES, type Severity } from '@berth/contract';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { CountRequest, CountResult } from './engine-protocol.ts';
import { quoteSql, selectWithNames } from './entry-columns.ts';
import { spanSql } from './span-sql.ts';

/**
 * Counts the entries of Parquet files by part of the span and severity. @throws DuckDB's error, also for a missing
 * file.
 */
export async function countParquet(connection: DuckDBConnection, request: CountRequest): Promise<CountResult> {
  const { names, span, where, files } = request;
  const table = selectWithNames(`read_parquet([${files.map(quoteSql).join(', ')}])`, names);
  const { fromMs, buckets } = span;
  const stepMs = (span.untilMs - fromMs) / buckets;
  // The same formula, in the same number type, as `bucketOf` of count-entries.ts.
  const bucket = `least(${buckets - 1}, floor((epoch_ns(timestamp) // 1000000 - ${fromMs})::DOUBLE / ${stepMs}::DOUBLE))`;
  const reader = await connection.runAndReadAll(
    `SELECT (${bucket})::INTEGER, severity::INTEGER, count(*)::DOUBLE FROM (${table})
     WHERE ${spanSql(span)} AND (${where?.sql ?? 'true'}) GROUP BY ALL`,
    [...(where?.values ?? [])],
  );
  return {
    counts: reader.getRows().map(([at, severity, entries]) => ({
      bucket: Number(at),
      severity: SEVERITIES[Number(severity)] as Severity,
      entries: Number(entries),
    })),
  };
}
