import type { Clock, Logger } from '@berth/kit';

/** Options of {@link watchLiveness}. */
export interface WatchLivenessOptions {
  /** For the log. */
  readonly name: string;
  /** Pings the process; settles in any case. */
  ask(): Promise<unknown>;
  /** Kills a process that did not answer. */
  kill(): void;
  /** Settles when the process has ended. */
  readonly ended: Promise<unknown>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Interval between pings, and time to answer one: enough for a machine that swaps and for a scan that blocks its thread. */
const EVERY_MS = 5_000;
const PATIENCE_MS = 30_000;

/** Kills a process that runs but no longer answers, so that its supervisor starts another. */
export function watchLiveness({ name, ask, kill, ended, clock, logger }: WatchLivenessOptions): void {
  let timer = clock.setTimer(EVERY_MS, question);
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
    timer.cancel();
  };
  ended.then(end, end);

  function question() {
    timer = clock.setTimer(PATIENCE_MS, () => {
      logger.error({ process: name, silentMs: PATIENCE_MS }, 'a platform process does not respond and is being killed');
      kill();
    });
    const answered = () => {
      timer.cancel();
      if (!hasEnded) timer = clock.setTimer(EVERY_MS, question);
    };
    // A failed call was answered too, or the process has ended.
    ask().then(answered, answered);
  }
}
