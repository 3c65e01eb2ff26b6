import type { Clock } from '../clock.ts';

/** A clock that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /** Moves wall and monotonic time forward, and fires due timers in order. */
  advance(ms: number): void;
  /**
   * As {@link advance}, but runs all promise reactions between two timers: what a timer leads to happens at its time,
   * including further sleeps.
   */
  elapse(ms: number): Promise<void>;
  /** Moves only wall time, as a correction of the system clock does. */
  jump(ms: number): void;
  /** Number of pending timers and sleeps. */
  readonly pending: number;
}

interface Alarm {
  readonly dueMs: number;
  readonly fire: () => void;
}

/** @param startMs initial wall time. Default: 2026-01-01T00:00:00Z. */
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
    // Of two timers due at the same time, the one set first fires first, which is the order of a set.
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

let isWorking = () => false;

/** Makes {@link FakeClock.elapse} also wait for work outside this process, such as queries of a database server, and what it leads to. */
export function settleWhile(isBusy: () => boolean): void {
  isWorking = isBusy;
}

/** After a turn of the event loop, all pending promise reactions have run, and those that they caused. */
async function settle(): Promise<void> {
  do await new Promise((resolve) => setImmediate(resolve));
  while (isWorking());
}
