import { type Clock, describeError, type Logger, runInBackground, type Timer } from '@berth/kit';
import { formatTimestamp } from '../entry/timestamp.ts';
import type { FileLogLimits } from '../limits/file-log-limits.ts';
import type { LogPlace } from '../ports/segment.ts';
import type { OldestSegment } from '../ports/segment-catalogue.ts';
import type { Compaction } from './compaction.ts';

/**
 * The one background task that changes what is kept. It compacts logs that were added and, every `sweepMs`, removes
 * segments past their age, including those of deleted deployments. It works on one log at a time.
 */
export interface Maintenance {
  /** Compacts a log soon, unless that failed recently. */
  add(log: Compaction): void;
  /** Forgets a log, so that another instance of it can take its place. Returns false while it is being compacted. */
  forget(log: Compaction): boolean;
  /** Starts nothing more. Running work ends with the engine; {@link ended} resolves when it has. */
  stop(): void;
  ended(): Promise<void>;
}

export interface MaintenanceOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: Pick<FileLogLimits, 'maxAgeMs' | 'sweepMs'>;
  /** Returns a time of the oldest segment of every log that has one; a log may be listed more than once. */
  oldest(): Promise<readonly OldestSegment[]>;
  /** How long an account's entries are kept, in milliseconds; `limits.maxAgeMs` when absent. */
  maxAgeMsOf?(account: string): Promise<number>;
  logAt(place: LogPlace): Compaction;
}

/** A log whose compaction failed is skipped until it was added this many more times. */
const FAILURE_PAUSE = 8;

/** Soon, so that a platform that restarts often still sweeps; not at once, so that its start stays quick. */
const FIRST_SWEEP_MS = 60_000;

export function createMaintenance(options: MaintenanceOptions): Maintenance {
  const { clock, logger, limits, logAt } = options;
  const waiting = new Set<Compaction>();
  const pauses = new WeakMap<Compaction, number>();
  let running: Promise<void> | undefined;
  let current: Compaction | undefined;
  let timer: Timer | undefined;
  let isStopped = false;

  async function maxAgeMsOf(account: string): Promise<number> {
    return (await options.maxAgeMsOf?.(account)) ?? limits.maxAgeMs;
  }

  async function run(): Promise<void> {
    for (const log of waiting) {
      waiting.delete(log);
      current = log;
      try {
        const maxAgeMs = await maxAgeMsOf(log.place.account);
        while (!isStopped && (await log.next(maxAgeMs)));
      } catch (error) {
        if (isStopped) return;
        pauses.set(log, FAILURE_PAUSE);
        logger.warn({ ...log.place, error: describeError(error) }, 'log segments could not be compacted');
      } finally {
        current = undefined;
      }
    }
    // At once, not in a reaction to the promise: a log added in between would wait for the next call of `add`.
    running = undefined;
  }

  function add(log: Compaction): void {
    const pause = pauses.get(log) ?? 0;
    pauses.set(log, Math.max(0, pause - 1));
    if (isStopped || pause > 0) return;
    waiting.add(log);
    running ??= run();
  }

  /** Removes expired segments. Deployments that were deleted are included: nothing else would ever touch their logs. */
  async function sweep(): Promise<void> {
    const oldest = await findOldest();
    for (const [account, logs] of oldest) {
      const maxAgeMs = await maxAgeMsOf(account);
      const oldestKept = formatTimestamp(Math.max(0, clock.nowMs() - maxAgeMs), 0);
      for (const [deployment, time] of logs) {
        if (isStopped) return;
        if (time >= oldestKept) continue;
        const place = { account, deployment };
        const log = logAt(place);
        await log.trim(maxAgeMs).then(
          () => add(log),
          (error) => logger.warn({ ...place, error: describeError(error) }, 'old log segments could not be removed'),
        );
      }
    }
  }

  /** Returns a time of each log's oldest segment, by account and deployment. */
  async function findOldest(): Promise<Map<string, Map<string, string>>> {
    const found = new Map<string, Map<string, string>>();
    for (const { place, endsAt } of await options.oldest()) {
      const logs = found.get(place.account) ?? new Map<string, string>();
      const known = logs.get(place.deployment);
      if (known === undefined || endsAt < known) logs.set(place.deployment, endsAt);
      found.set(place.account, logs);
    }
    return found;
  }

  function plan(delayMs: number): void {
    if (isStopped) return;
    const swept = () => sweep().finally(() => plan(limits.sweepMs));
    timer = clock.setTimer(delayMs, () => runInBackground('log sweep', swept(), logger));
  }

  plan(Math.min(FIRST_SWEEP_MS, limits.sweepMs));
  return {
    add,
    forget(log) {
      if (current === log) return false;
      waiting.delete(log);
      return true;
    },
    stop() {
      isStopped = true;
      timer?.cancel();
    },
    ended: async () => running,
  };
}
