import type { Clock, Logger } from '@berth/kit';

export interface WatchLivenessOptions {
  /** For the log. */
  readonly name: string;
  /** Asks for a sign of life; settles however it goes. */
  ask(): Promise<unknown>;
  /** Ends a process that gave none. */
  kill(): void;
  /** Settles when the process has ended. */
  readonly ended: Promise<unknown>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Between two questions, and for an answer: long enough for a machine that swaps, and for a scan that holds its thread. */
const EVERY_MS = 5_000;
const PATIENCE_MS = 30_000;

/** Ends a process that runs but no longer answers, so that its supervisor starts another. Until then nothing is asked of it. */
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
      logger.error({ process: name, silentMs: PATIENCE_MS }, 'a process of the platform does not answer; it is ended');
      kill();
    });
    const answered = () => {
      timer.cancel();
      if (!hasEnded) timer = clock.setTimer(EVERY_MS, question);
    };
    // A call that fails was answered too, or its process has ended.
    ask().then(answered, answered);
  }
}
