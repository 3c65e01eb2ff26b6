import type { DuckDBConnection } from '@duckdb/node-api';
import { timestampOfNanos } from '../../entry/timestamp.ts';
import type { SegmentSummary } from '../../ports/segment.ts';
import { quoteSql } from './entry-columns.ts';

/**
 * Returns what a Parquet segment contains; undefined when it has no rows. @throws DuckDB's error when it can't be read.
 */
export async function summarizeParquet(
  connection: DuckDBConnection,
  path: string,
): Promise<SegmentSummary | undefined> {
  // Times as numbers: DuckDB's strftime formats nanoseconds wrongly.
  const reader = await connection.runAndReadAll(
    `SELECT epoch_ns(min(timestamp)), epoch_ns(max(timestamp)), count(*), coalesce(bit_or(1 << severity::INTEGER), 0)
     FROM read_parquet(${quoteSql(path)})`,
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
