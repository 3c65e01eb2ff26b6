/** A timer that can be taken back. Cancelling twice, or after it fired, does nothing. */
export interface Timer {
  cancel(): void;
}

/**
 * The only source of time in Berth's packages, so that tests can move it.
 * `nowMs` is wall time (milliseconds since the Unix epoch) and may jump; `monotonicMs` has an arbitrary origin,
 * never goes backwards, and is what durations are measured with.
 */
export interface Clock {
  nowMs(): number;
  monotonicMs(): number;
  /** Calls `callback` once, `delayMs` from now. The timer does not keep the process alive. */
  setTimer(delayMs: number, callback: () => void): Timer;
  /**
   * Resolves after `delayMs`.
   * @throws the signal's reason as soon as `signal` aborts.
   */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's own clock. */
export function createSystemClock(): Clock {
  const setTimer = (delayMs: number, callback: () => void): Timer => {
    const handle = setTimeout(callback, Math.max(0, delayMs));
    // In browsers a timer is a number, and nothing keeps a process alive.
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
        // A sleeping caller is waiting for something: unlike setTimer, this one holds the process.
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
