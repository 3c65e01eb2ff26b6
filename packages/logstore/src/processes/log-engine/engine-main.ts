import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { countParquet } from './count-parquet.ts';
import type { EngineAnswer, EngineMessage, EngineRequest, EngineResult } from './engine-protocol.ts';
import { selectEntries } from './select-entries.ts';
import { summarizeParquet } from './summarize-parquet.ts';
import { surveyParquet } from './survey-parquet.ts';
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
});
const connections = new Map<number, DuckDBConnection>();
const working = new Set<number>();
/** Requests that were canceled before they had a connection. */
const cancelled = new Set<number>();

async function answer(id: number, request: EngineRequest): Promise<EngineAnswer> {
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

function work(connection: DuckDBConnection, request: EngineRequest): Promise<EngineResult> {
  switch (request.kind) {
    case 'write':
      return writeParquet(connection, request);
    case 'inspect':
      return summarizeParquet(connection, request.path);
    case 'select':
      return selectEntries(connection, request);
    case 'count':
      return countParquet(connection, request);
    case 'survey':
      return surveyParquet(connection, request);
  }
}

function cancel(id: number): void {
  const connection = connections.get(id);
  if (connection) connection.interrupt();
  else if (working.has(id)) cancelled.add(id);
}

process.on('message', (message: EngineMessage) => {
  if ('cancel' in message) cancel(message.cancel);
  else void answer(message.id, message.request).then((result) => process.connected && process.send?.(result));
});
// Nobody waits for answers any more. Without work and without its parent, nothing keeps the process alive.
process.on('disconnect', () => {
  for (const connection of connections.values()) connection.interrupt();
});
