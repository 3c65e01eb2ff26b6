import { Worker } from 'node:worker_threads';
import { describeError, type Logger } from '@berth/kit';

/** Data of the thread. */
export interface LeaseThreadData {
  readonly url: string;
  /** Renews the lease, unless it is over: it then changes no row. */
  readonly statement: string;
  /** Values of `$1` and the following. */
  readonly values: readonly (string | number)[];
  readonly leaseMs: number;
  /** The lease is not renewed for a main thread that has run nothing for so long. */
  readonly patienceMs: number;
  /** Two times of `process.hrtime`: when the last renewal began, and when the main thread last ran. */
  readonly shared: SharedArrayBuffer;
}

/** Options of {@link createLeaseThread}. */
export interface LeaseThreadOptions extends Omit<LeaseThreadData, 'shared'> {
  readonly logger: Logger;
}

/** A lease that is renewed while the main thread is busy. */
export interface LeaseThread {
  /** Milliseconds since the last renewal began; infinite before the first. */
  sinceRenewalMs(): number;
  /** Ends the renewals. Idempotent. */
  close(): Promise<void>;
}

/** How often the main thread shows that it runs. */
const SEEN_MS = 500;
const RESTART_MS = 1_000;
/** Heap of the thread: the Postgres driver takes 12 MB. */
const HEAP_MB = 32;
const NS_PER_MS = 1e6;

/**
 * Renews a lease every third of its time, in a worker thread with a database connection of its own: a main thread that is late, because it
 * has much to do or gets little CPU time, must not look dead.
 */
export function createLeaseThread({ logger, ...data }: LeaseThreadOptions): LeaseThread {
  const shared = new SharedArrayBuffer(16);
  const [renewedAt, seenAt] = [new BigInt64Array(shared, 0, 1), new BigInt64Array(shared, 8, 1)];
  const show = () => void Atomics.store(seenAt, 0, process.hrtime.bigint());
  const showing = setInterval(show, SEEN_MS).unref();
  let worker: Worker | undefined;
  let restart: NodeJS.Timeout | undefined;
  let isClosed = false;
  const start = () => {
    const started = new Worker(new URL('./lease-thread.ts', import.meta.url), {
      workerData: { ...data, shared } satisfies LeaseThreadData,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    started.unref();
    started.on('error', (error) =>
      logger.error({ error: describeError(error) }, 'the thread that renews a lease failed'),
    );
    started.once('exit', () => {
      worker = undefined;
      if (!isClosed) restart = setTimeout(start, RESTART_MS).unref();
    });
    worker = started;
  };
  show();
  start();
  return {
    sinceRenewalMs() {
      const atNs = Atomics.load(renewedAt, 0);
      return atNs === 0n ? Number.POSITIVE_INFINITY : Number(process.hrtime.bigint() - atNs) / NS_PER_MS;
    },
    async close() {
      isClosed = true;
      clearInterval(showing);
      clearTimeout(restart);
      const ending = worker;
      if (!ending) return;
      const ended = new Promise((resolve) => ending.once('exit', resolve));
      ending.ref();
      ending.postMessage('close');
      await ended;
    },
  };
}
