import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { EngineAnswer, EngineKind, EngineMessage, EngineRequest, EngineResult } from './engine-protocol.ts';
import { countRows, selectEntries, summarize, surveyRows } from './read-parquet.ts';
import { writeParquet } from './write-parquet.ts';

/**
 * The process that runs DuckDB. It writes and reads Parquet segments for its parent, with one connection per request,
 * and ends with its parent. Arguments: memory in MiB, threads.
 */
const [memoryMib = '512', threads = '2'] = process.argv.slice(2);
const reading = await openInstance(threads);
/** With one thread: a copy that keeps its order on several holds the rows that are not their turn, up to the limit. */
const writing = await openInstance('1');
const connections = new Map<number, DuckDBConnection>();
const working = new Set<number>();
/** Requests that were canceled before they had a connection. */
const cancelled = new Set<number>();

const WORK: {
  readonly [Kind in EngineKind]: (c: DuckDBConnection, request: EngineRequest<Kind>) => Promise<EngineResult<Kind>>;
} = { write: writeParquet, inspect: summarize, select: selectEntries, count: countRows, survey: surveyRows };

async function openInstance(ownThreads: string): Promise<DuckDBInstance> {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: `${memoryMib}MiB`,
    threads: ownThreads,
    temp_directory: '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await instance.connect();
  // Caches the footers of Parquet files, which never change.
  await connection.run('SET GLOBAL parquet_metadata_cache = true');
  // The operating system caches the rest of them; a second copy would fill the memory limit.
  await connection.run('SET GLOBAL enable_external_file_cache = false');
  connection.closeSync();
  return instance;
}

async function answer(id: number, kind: EngineKind, request: EngineRequest): Promise<EngineAnswer> {
  const work = WORK[kind] as (connection: DuckDBConnection, request: EngineRequest) => Promise<EngineResult>;
  working.add(id);
  const connection = await (kind === 'write' ? writing : reading).connect();
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
