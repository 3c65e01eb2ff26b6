import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';

/**
 * Copies a database that is in use: the copy is a compact snapshot of one moment. It runs in a worker thread and blocks neither this
 * thread nor other connections.
 * @param to must not exist
 */
export async function copyDatabase(from: string, to: string): Promise<void> {
  const worker = new Worker(new URL('./copy-database-worker.ts', import.meta.url), { workerData: { from, to } });
  const [code] = (await once(worker, 'exit')) as [number];
  if (code !== 0) throw new Error(`the copy of the database ended with code ${code}`);
  await chmod(to, 0o600);
}
