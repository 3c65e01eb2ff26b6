import type { Clock } from '@berth/kit';

/** A clock that stands still until it is moved. */
export interface FakeClock extends Clock {
  /** Moves wall and monotonic time forward, firing due timers in their order. */
  advance(ms: number): void;
  /**
   * The same, but between two timers all promise reactions run: what a timer leads to happens at that timer's time,
   * further sleeps included.
   */
  elapse(ms: number): Promise<void>;
  /** Jumps wall time alone, as a corrected system clock does. */
  jump(ms: number): void;
  /** Timers and sleeps that have not fired. */
  readonly pending: number;
}

interface Alarm {
  readonly dueMs: number;
  readonly fire: () => void;
}

/** @param startMs wall time it starts at; 2026-01-01T00:00:00Z by default. */
export function createFakeClock(startMs = Date.UTC(2026, 0, 1)): FakeClock {
  let wallStartMs = startMs;
  let elapsedMs = 0;
  const alarms = new Set<Alarm>();
  const add = (delayMs: number, fire: () => void) => {
    const alarm = { dueMs: elapsedMs + Math.max(0, delayMs), fire };
    alarms.add(alarm);
    return () => void alarms.delete(alarm);
  };
  const nextBy = (endMs: number) => {
    let next: Alarm | undefined;
    // Of two that are due at once the one that was set first fires first: a set keeps that order.
    for (const alarm of alarms) if (alarm.dueMs <= endMs && (!next || alarm.dueMs < next.dueMs)) next = alarm;
    return next;
  };
  const fire = (alarm: Alarm) => {
    alarms.delete(alarm);
    elapsedMs = Math.max(elapsedMs, alarm.dueMs);
    alarm.fire();
  };
  return {
    nowMs: () => wallStartMs + elapsedMs,
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
      for (let alarm = nextBy(endMs); alarm; alarm = nextBy(endMs)) fire(alarm);
      elapsedMs = endMs;
    },
    async elapse(ms) {
      const endMs = elapsedMs + ms;
      await settle();
      for (let alarm = nextBy(endMs); alarm; alarm = nextBy(endMs)) {
        fire(alarm);
        await settle();
      }
      elapsedMs = endMs;
    },
    jump(ms) {
      wallStartMs += ms;
    },
    get pending() {
      return alarms.size;
    },
  };
}

/** When the event loop has turned, all promise reactions that were due, and those they caused, have run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
