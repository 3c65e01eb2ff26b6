import type { DuckDBConnection } from '@duckdb/node-api';
import { parseQuery } from './parse-query.ts';
import { memoryError, queryError, timeoutError, unreadableError } from './sql-error.ts';
import { setTimeBounds } from './time-bounds.ts';
import { type SqlValue, toJsonValue } from './to-json-value.ts';

/** Limits of a query. Each is refused with a message of its own. */
export interface SqlLimits {
  readonly timeoutMs: number;
  /** Memory of everything that DuckDB holds at once. */
  readonly memoryBytes: number;
  readonly rows: number;
  /** Size of the result as JSON text. */
  readonly answerBytes: number;
}

/**
 * Runs a query. Returns rows as the text of a JSON array of objects, with keys in column order.
 * @param connection for this query alone, of a locked instance that sees only the caller's relations; see
 * open-sandbox.ts.
 * @param signal cancels the query: the caller is gone.
 * @throws `invalid` at the query, with DuckDB's message when DuckDB refuses it; the signal's reason.
 */
export async function runQuery(
  connection: DuckDBConnection,
  query: string,
  limits: SqlLimits,
  signal: AbortSignal,
): Promise<string> {
  signal.throwIfAborted();
  const timeout = AbortSignal.timeout(limits.timeoutMs);
  const ended = AbortSignal.any([signal, timeout]);
  const interrupt = () => connection.interrupt();
  ended.addEventListener('abort', interrupt, { once: true });
  try {
    const { sql, bounds } = await parseQuery(connection, query);
    await setTimeBounds(connection, bounds);
    return await readRows(connection, sql, limits, ended);
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) throw timeoutError(limits.timeoutMs);
    throw toQueryError(error, limits);
  } finally {
    ended.removeEventListener('abort', interrupt);
  }
}

async function readRows(
  connection: DuckDBConnection,
  sql: string,
  limits: SqlLimits,
  ended: AbortSignal,
): Promise<string> {
  const result = await connection.stream(sql);
  const names = result.deduplicatedColumnNames();
  const types = result.columnTypes();
  const rows: string[] = [];
  let bytes = 0;
  for (;;) {
    const chunk = await result.fetchChunk();
    // An interrupt between two chunks has no effect.
    ended.throwIfAborted();
    if (!chunk || chunk.rowCount === 0) return `[${rows.join(',')}]`;
    // Row by row: a chunk has 2,048 rows, and each may be as large as a whole result.
    for (let index = 0; index < chunk.rowCount; index++) {
      const values = chunk.getRowValues(index);
      if (rows.length === limits.rows) {
        throw queryError(`The result has more than ${limits.rows} rows. Add a LIMIT, or aggregate.`, 'too_many_rows');
      }
      const row: Record<string, SqlValue> = {};
      names.forEach((name, column) => {
        const type = types[column];
        if (type !== undefined) row[name] = toJsonValue(values[column] ?? null, type);
      });
      const text = JSON.stringify(row);
      bytes += Buffer.byteLength(text);
      if (bytes > limits.answerBytes) {
        throw queryError(
          `The result is larger than ${Math.floor(limits.answerBytes / 2 ** 20)} MiB. Select fewer rows or columns.`,
          'answer_too_large',
        );
      }
      rows.push(text);
    }
  }
}

/** Returns an error that the caller can fix with DuckDB's message; any other error is ours. */
function toQueryError(error: unknown, limits: SqlLimits): unknown {
  if (!(error instanceof Error) || 'code' in error) return error;
  const { message } = error;
  if (message.startsWith('Out of Memory Error') || message.includes('std::bad_alloc'))
    return memoryError(limits.memoryBytes);
  const unreadable = toUnreadable(error);
  return unreadable === error && ENGINE_ERROR.test(message) ? queryError(message) : unreadable;
}

/** Returns the caller's error when DuckDB's is about a segment, whose path is not for the caller; else DuckDB's. */
export function toUnreadable(error: unknown): unknown {
  if (!(error instanceof Error) || 'code' in error) return error;
  const { message } = error;
  if (message.startsWith(UNTYPED_ERROR) || LOG_FILE.test(message)) {
    return unreadableError("Part of the logs can't be read. See the server's log.", error);
  }
  if (message.startsWith('IO Error') || message.startsWith('INTERNAL Error') || message.startsWith('FATAL Error')) {
    return unreadableError("Couldn't read the logs. Try again in a moment.", error);
  }
  return error;
}

/** DuckDB's prefix for exceptions of its libraries, such as its Parquet reader. */
const UNTYPED_ERROR = 'Invalid Error: ';

/** The absolute path of a segment. */
const LOG_FILE = /\/[^\s'"]+\.parquet/;

/** DuckDB's prefix for errors in a query: `Binder Error: …`. */
const ENGINE_ERROR = /^[A-Z][A-Za-z ]* Error: /;
