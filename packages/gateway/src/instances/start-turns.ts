import type { Clock } from '@berth/kit';

/** Lets so many instances start at once, the others in their order. */
export interface StartTurns {
  /**
   * Waits for a turn; the answer ends it, idempotently. One that is not ended in time ends by itself.
   * @throws the signal's reason when it aborts.
   */
  next(signal: AbortSignal): Promise<() => void>;
}

export interface StartTurnsOptions {
  readonly clock: Clock;
  readonly simultaneousStarts: number;
  readonly startSlotHoldMs: number;
}

export function createStartTurns({ clock, simultaneousStarts, startSlotHoldMs }: StartTurnsOptions): StartTurns {
  let starting = 0;
  const waiters = new Set<() => void>();

  const wait = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const wake = () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = () => {
        if (waiters.delete(wake)) reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      waiters.add(wake);
    });

  return {
    async next(signal) {
      signal.throwIfAborted();
      if (starting >= simultaneousStarts) await wait(signal);
      else starting++;
      let isOver = false;
      const end = () => {
        if (isOver) return;
        isOver = true;
        timer.cancel();
        // The turn is handed on, not given back and taken again: that keeps the order.
        const [next] = waiters;
        if (next === undefined) {
          starting--;
        } else {
          waiters.delete(next);
          next();
        }
      };
      const timer = clock.setTimer(startSlotHoldMs, end);
      return end;
    },
  };
}
