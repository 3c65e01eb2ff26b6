import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { backoffMs, type Clock, createLimiter, type Logger } from '@berth/kit';
import { z } from 'zod';
import { describeReason } from '../store/describe-reason.ts';
import { writePrivateFile } from '../store/write-private-file.ts';
import { AcmeFailure } from './acme-failure.ts';

const failureSchema = z.object({
  /** In a row. */
  failures: z.int().min(1),
  /** Epoch milliseconds, wall clock. */
  failedAtMs: z.number(),
  /** Epoch milliseconds, wall clock. */
  retryAtMs: z.number(),
  /** A sentence. */
  problem: z.string(),
  /** True when the server named the time, which nobody may bring forward. */
  isServerBound: z.boolean(),
});

/** What is known of a name whose last order failed. */
export type OrderFailure = Readonly<z.infer<typeof failureSchema>>;

/** Which names wait for what. On disk, so that a server that is started again and again does not ask again and again. */
export interface RetryLedger {
  find(name: string): OrderFailure | undefined;
  recordFailure(name: string, error: unknown): Promise<OrderFailure>;
  recordSuccess(name: string): Promise<void>;
  /** Brings the next try forward, as far as the rate limits of the server allow. */
  hasten(name: string): void;
}

/**
 * Waits of 5, 10, 20… minutes keep under five failed proofs of a name an hour, the narrowest limit there is.
 * Source: letsencrypt.org/docs/rate-limits, "Authorization Failures per Hostname per Account".
 */
const BACKOFF = { baseMs: 300_000, maxMs: 43_200_000 } as const;

/** Opens the ledger in `folder`; a damaged one is logged and started anew. */
export async function openRetryLedger(folder: string, clock: Clock, logger: Logger): Promise<RetryLedger> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, 'retries.json');
  const failures = await readFailures(file, logger);
  const queue = createLimiter({ concurrency: 1 });
  const save = () => queue.run(() => writePrivateFile(file, `${JSON.stringify(Object.fromEntries(failures))}\n`));
  return {
    find: (name) => failures.get(name),
    async recordFailure(name, error) {
      const count = (failures.get(name)?.failures ?? 0) + 1;
      const ownMs = backoffMs(count - 1, BACKOFF);
      const serverMs = error instanceof AcmeFailure ? error.retryAfterMs : 0;
      const nowMs = clock.nowMs();
      const failure: OrderFailure = {
        failures: count,
        failedAtMs: nowMs,
        retryAtMs: nowMs + Math.max(ownMs, serverMs),
        problem: describeReason(error),
        isServerBound: serverMs > 0,
      };
      failures.set(name, failure);
      await save();
      return failure;
    },
    async recordSuccess(name) {
      if (failures.delete(name)) await save();
    },
    hasten(name) {
      const failure = failures.get(name);
      if (!failure || failure.isServerBound) return;
      const retryAtMs = Math.min(failure.retryAtMs, failure.failedAtMs + BACKOFF.baseMs);
      failures.set(name, { ...failure, retryAtMs });
    },
  };
}

async function readFailures(file: string, logger: Logger): Promise<Map<string, OrderFailure>> {
  try {
    const text = await readFile(file, 'utf8');
    return new Map(Object.entries(z.record(z.string(), failureSchema).parse(JSON.parse(text))));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (!isMissing) logger.warn({ file, problem: describeReason(error) }, 'the record of failed orders is not used');
    return new Map();
  }
}
