import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { backoffMs, type Clock, createLimiter, type Logger } from '@berth/kit';
import { codeOf, writePrivateFile } from '@berth/kit/node';
import { z } from 'zod';
import { describeReason } from '../store/certificate.ts';
import { AcmeFailure } from './acme-failure.ts';

const failureSchema = z.object({
  /** Number of consecutive failures. */
  failures: z.int().min(1),
  /** Time of the last failure; epoch milliseconds, wall clock. */
  failedAtMs: z.number(),
  /** Time of the next attempt; epoch milliseconds, wall clock. */
  retryAtMs: z.number(),
  /** The reason, as a sentence. */
  problem: z.string(),
  /** True if the server set `retryAtMs`, which then cannot be brought forward. */
  isServerBound: z.boolean(),
});

/** The last failed order of a name. */
export type OrderFailure = Readonly<z.infer<typeof failureSchema>>;

/** The retry times of failed names. Stored on disk, so that repeated restarts don't cause repeated orders. */
export interface RetryLedger {
  /** Returns the last failure of `name`; undefined if its last order succeeded or it has none. */
  find(name: string): OrderFailure | undefined;
  /** Stores a failed order and returns its record with the time of the next attempt. */
  recordFailure(name: string, error: unknown): Promise<OrderFailure>;
  /** Removes the failure record of `name`. */
  recordSuccess(name: string): Promise<void>;
  /** Brings the next attempt forward, as far as the server's rate limits allow. */
  hasten(name: string): void;
}

/**
 * Delays of 5, 10, 20… minutes stay below five failed validations per name and hour, the strictest limit.
 * Source: letsencrypt.org/docs/rate-limits, "Authorization Failures per Hostname per Account".
 */
const BACKOFF = { baseMs: 300_000, maxMs: 43_200_000 } as const;

/** Opens the ledger in `folder`. A damaged ledger is logged and replaced by an empty one. */
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
    if (codeOf(error) !== 'ENOENT') {
      logger.warn({ file, problem: describeReason(error) }, 'the record of failed orders is ignored');
    }
    return new Map();
  }
}
