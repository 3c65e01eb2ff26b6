import type { Clock, Timer } from '@berth/kit';

/** Calls back when nothing has restarted it for a time. */
export interface QuietTimer {
  restart(): void;
  cancel(): void;
}

/** A timer that is cheap to restart for every chunk: it looks at the clock when it is due, and waits for the rest. */
export function createQuietTimer(clock: Clock, quietMs: number, onQuiet: () => void): QuietTimer {
  let timer: Timer | undefined;
  let restartedMs = 0;

  function wait(delayMs: number): void {
    timer = clock.setTimer(delayMs, () => {
      timer = undefined;
      const leftMs = restartedMs + quietMs - clock.monotonicMs();
      if (leftMs > 0) wait(leftMs);
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
