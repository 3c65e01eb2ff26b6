import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { EngineAnswer, EngineKind, EngineMessage, EngineRequest, EngineResult } from './engine-protocol.ts';
import { countRows, selectEntries, summarize, surveyRows } from './read-parquet.ts';
import { writeParquet } from './write-parquet.ts';

/**
 * The process that runs DuckDB. It writes and reads Parquet segments for its parent, with one connection per request,
 * and ends with its parent. Arguments: memory in MiB, threads.
 */
const [memoryMib = '512', threads = '2'] = process.argv.slice(2);
const instance = await DuckDBInstance.create(':memory:', {
  memory_limit: `${memoryMib}MiB`,
  threads,
  temp_directory: '',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  // Caches the footers of Parquet files, which never change.
  parquet_metadata_cache: 'true',
});
const connections = new Map<number, DuckDBConnection>();
const working = new Set<number>();
/** Requests that were canceled before they had a connection. */
const cancelled = new Set<number>();

const WORK: {
  readonly [Kind in EngineKind]: (c: DuckDBConnection, request: EngineRequest<Kind>) => Promise<EngineResult<Kind>>;
} = { write: writeParquet, inspect: summarize, select: selectEntries, count: countRows, survey: surveyRows };

async function answer(id: number, kind: EngineKind, request: EngineRequest): Promise<EngineAnswer> {
  const work = WORK[kind] as (connection: DuckDBConnection, request: EngineRequest) => Promise<EngineResult>;
  working.add(id);
  const connection = await instance.connect();
  connections.set(id, connection);
  try {
    if (cancelled.delete(id)) throw new Error('cancelled');
    return { id, result: await work(connection, request) };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { id, error: { message: String(message), ...(code === undefined ? {} : { code }) } };
  } finally {
    connections.delete(id);
    working.delete(id);
    connection.closeSync();
  }
}

function cancel(id: number): void {
  const connection = connections.get(id);
  if (connection) connection.interrupt();
  else if (working.has(id)) cancelled.add(id);
}

process.on('message', (message: EngineMessage) => {
  if ('cancel' in message) cancel(message.cancel);
  else
    void answer(message.id, message.kind, message.request).then(
      (result) => process.connected && process.send?.(result),
    );
});
// No one waits for answers any more. Without work and without its parent, nothing keeps the process alive.
process.on('disconnect', () => {
  for (const connection of connections.values()) connection.interrupt();
});
