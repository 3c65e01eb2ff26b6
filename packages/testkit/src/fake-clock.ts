import type { Clock } from '@berth/kit';

/** A clock that stands still until it is moved. */
export interface FakeClock extends Clock {
  /** Moves wall and monotonic time forward, firing due timers in their order. */
  advance(ms: number): void;
  /** Timers and sleeps that have not fired. */
  readonly pending: number;
}

interface Alarm {
  readonly dueMs: number;
  readonly fire: () => void;
}

/** @param startMs wall time it starts at; 2026-01-01T00:00:00Z by default. */
export function createFakeClock(startMs = Date.UTC(2026, 0, 1)): FakeClock {
  let elapsedMs = 0;
  const alarms = new Set<Alarm>();
  const add = (delayMs: number, fire: () => void) => {
    const alarm = { dueMs: elapsedMs + Math.max(0, delayMs), fire };
    alarms.add(alarm);
    return () => void alarms.delete(alarm);
  };
  const nextBy = (endMs: number) =>
    [...alarms].filter((alarm) => alarm.dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs)[0];
  return {
    nowMs: () => startMs + elapsedMs,
    monotonicMs: () => elapsedMs,
    setTimer: (delayMs, callback) => ({ cancel: add(delayMs, callback) }),
    sleep: (delayMs, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const onAbort = () => {
          cancel();
          reject(signal?.reason);
        };
        const cancel = add(delayMs, () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        });
        signal?.addEventListener('abort', onAbort, { once: true });
      }),
    advance(ms) {
      const endMs = elapsedMs + ms;
      for (let alarm = nextBy(endMs); alarm; alarm = nextBy(endMs)) {
        alarms.delete(alarm);
        elapsedMs = Math.max(elapsedMs, alarm.dueMs);
        alarm.fire();
      }
      elapsedMs = endMs;
    },
    get pending() {
      return alarms.size;
    },
  };
}
