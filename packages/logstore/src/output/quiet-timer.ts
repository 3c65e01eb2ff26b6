import type { Clock, Timer } from '@berth/kit';

/** Calls back when it was not restarted for a time. */
export interface QuietTimer {
  restart(): void;
  cancel(): void;
}

/** A timer this late means that the event loop was blocked, and output may be waiting to be read. */
const LATE_MS = 5;

/**
 * Creates a timer that is cheap to restart for every chunk: when due, it checks the clock and waits for the rest. When
 * it is late, pending output is read first.
 */
export function createQuietTimer(clock: Clock, quietMs: number, onQuiet: () => void): QuietTimer {
  let timer: Timer | undefined;
  let restartedMs = 0;

  function wait(delayMs: number, hasLooked = false): void {
    timer = clock.setTimer(delayMs, () => {
      timer = undefined;
      const leftMs = restartedMs + quietMs - clock.monotonicMs();
      if (leftMs > 0) wait(leftMs);
      else if (leftMs < -LATE_MS && !hasLooked) wait(1, true);
      else onQuiet();
    });
  }

  return {
    restart() {
      restartedMs = clock.monotonicMs();
      if (!timer) wait(quietMs);
    },
    cancel() {
      timer?.cancel();
      timer = undefined;
    },
  };
}
