import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';

/** DuckDB with nothing around it, in a process of its own, so that its memory is not counted as ours. */
export interface BareDuckDb {
  readonly pid: number;
  /** Milliseconds that a query took, its rows read. */
  run(query: string): Promise<number>;
  close(): void;
}

export async function openBareDuckDb(threads: number): Promise<BareDuckDb> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), [String(threads)]);
  await once(child, 'message');
  return {
    pid: child.pid ?? 0,
    async run(query) {
      child.send(query);
      const [answer] = (await once(child, 'message')) as [{ ms: number; error?: string }];
      if (answer.error !== undefined) throw new Error(answer.error);
      return answer.ms;
    },
    close: () => child.disconnect(),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const instance = await DuckDBInstance.create(':memory:', { threads: process.argv[2] ?? '2' });
  const connection = await instance.connect();
  process.on('message', async (query: string) => {
    const startedMs = performance.now();
    try {
      (await connection.runAndReadAll(query)).getRows();
      process.send?.({ ms: performance.now() - startedMs });
    } catch (error) {
      process.send?.({ ms: 0, error: String(error) });
    }
  });
  process.send?.('ready');
}
