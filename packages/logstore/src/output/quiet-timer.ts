import type { Clock, Timer } from '@berth/kit';

/** Calls back when nothing has restarted it for a time. */
export interface QuietTimer {
  restart(): void;
  cancel(): void;
}

/** Later than this, it was the event loop that did not come round to timers, nor to what there was to read. */
const LATE_MS = 5;

/**
 * A timer that is cheap to restart for every chunk: it looks at the clock when it is due, and waits for the rest. When it is late,
 * what waits to be read is read first.
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
