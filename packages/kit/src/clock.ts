/** A timer that can be canceled. Canceling twice, or after the timer fired, has no effect. */
export interface Timer {
  cancel(): void;
}

/**
 * The only source of time in Berth's packages, so that tests can control it. `nowMs` is wall time in milliseconds since
 * the Unix epoch and may jump. `monotonicMs` has an arbitrary origin and never goes backwards; use it to measure
 * durations.
 */
export interface Clock {
  nowMs(): number;
  monotonicMs(): number;
  /** Calls `callback` once, after `delayMs`. The timer does not keep the process alive. */
  setTimer(delayMs: number, callback: () => void): Timer;
  /**
   * Resolves after `delayMs`.
   * @throws the signal's reason as soon as `signal` aborts.
   */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

/** Creates a clock that reads the machine's time. */
export function createSystemClock(): Clock {
  const setTimer = (delayMs: number, callback: () => void): Timer => {
    const handle = setTimeout(callback, Math.max(0, delayMs));
    // In browsers a timer is a number, and timers never keep a process alive.
    handle.unref?.();
    return { cancel: () => clearTimeout(handle) };
  };
  return {
    nowMs: () => Date.now(),
    monotonicMs: () => performance.now(),
    setTimer,
    sleep: (delayMs, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        // A sleeping caller is waiting for something, so unlike setTimer this timer keeps the process alive.
        const onAbort = () => {
          clearTimeout(handle);
          reject(signal?.reason);
        };
        const handle = setTimeout(
          () => {
            signal?.removeEventListener('abort', onAbort);
            resolve();
          },
          Math.max(0, delayMs),
        );
        signal?.addEventListener('abort', onAbort, { once: true });
      }),
  };
}
