// A worker thread with a connection of its own, which renews a lease while the main thread is busy. It ends with the process.
import { parentPort, workerData } from 'node:worker_threads';
import pg from 'pg';
import type { LeaseThreadData } from './create-lease-thread.ts';

const { url, statement, values, leaseMs, patienceMs, shared } = workerData as LeaseThreadData;
const [renewedAt, seenAt] = [new BigInt64Array(shared, 0, 1), new BigInt64Array(shared, 8, 1)];
const NS_PER_MS = 1_000_000n;

let client: pg.Client | undefined;
let timer: NodeJS.Timeout | undefined;
let isClosed = false;

async function renew(): Promise<void> {
  const atNs = process.hrtime.bigint();
  const isAwake = atNs - Atomics.load(seenAt, 0) < BigInt(patienceMs) * NS_PER_MS;
  try {
    if (isAwake) {
      client ??= await connect();
      const { rowCount } = await client.query(statement, [...values]);
      if (rowCount === 1) Atomics.store(renewedAt, 0, atNs);
    }
  } catch {
    // The main thread renews as well, and says what fails.
    await client?.end().catch(() => {});
    client = undefined;
  }
  if (!isClosed) timer = setTimeout(renew, leaseMs / 3);
}

async function connect(): Promise<pg.Client> {
  const opened = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: leaseMs,
    query_timeout: leaseMs,
    keepAlive: true,
  });
  // Without a listener the error of a broken connection would end the thread; the next query reports it too.
  opened.on('error', () => {});
  await opened.connect();
  return opened;
}

parentPort?.on('message', async () => {
  isClosed = true;
  clearTimeout(timer);
  parentPort?.close();
  await client?.end().catch(() => {});
});
void renew();
