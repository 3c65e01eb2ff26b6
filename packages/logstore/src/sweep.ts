import { join } from 'node:path';
import { type Clock, describeError, type Logger, runInBackground, type Timer } from '@berth/kit';
import type { FileLogLimits } from './file-log-limits.ts';
import type { LogFiles } from './log-files.ts';
import { parseSegmentName } from './segment-name.ts';
import { formatTimestamp } from './timestamp.ts';

export interface SweepOptions {
  /** The folder of all logs: `<account>/<deployment>/<segment>`. */
  readonly root: string;
  readonly files: LogFiles;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: Pick<FileLogLimits, 'maxAgeMs' | 'sweepMs'>;
  /** Removes what is too old of the log in a folder relative to the root. */
  trim(folder: string): Promise<void>;
}

/** Soon, so that a platform that is often restarted sweeps too; not at once, so that its start stays quick. */
const FIRST_SWEEP_MS = 60_000;

/**
 * Looks every `sweepMs` for logs that hold something too old, those of deleted deployments included: nobody writes to
 * them any more, so nothing else would. Answers the function that ends it.
 */
export function startSweeps({ root, files, clock, logger, limits, trim }: SweepOptions): () => void {
  let timer: Timer | undefined;
  let isStopped = false;

  async function sweep(): Promise<void> {
    const oldestKept = formatTimestamp(Math.max(0, clock.nowMs() - limits.maxAgeMs), 0);
    for (const account of await files.list(root)) {
      for (const deployment of await files.list(join(root, account))) {
        if (isStopped) return;
        const folder = join(account, deployment);
        const oldest = (await files.list(join(root, folder)))
          .map(parseSegmentName)
          .find((times) => times !== undefined);
        // The name alone tells: most logs are not opened for this.
        if (oldest !== undefined && oldest.startsAt < oldestKept)
          await trim(folder).catch((error) => complain(folder, error));
      }
    }
  }

  function complain(folder: string, error: unknown): void {
    logger.warn({ log: folder, error: describeError(error) }, 'old log segments could not be removed');
  }

  function plan(delayMs: number): void {
    if (isStopped) return;
    const run = () => sweep().finally(() => plan(limits.sweepMs));
    timer = clock.setTimer(delayMs, () => runInBackground('log sweep', run(), logger));
  }

  plan(Math.min(FIRST_SWEEP_MS, limits.sweepMs));
  return () => {
    isStopped = true;
    timer?.cancel();
  };
}
