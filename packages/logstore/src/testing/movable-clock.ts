import { type Clock, createSystemClock } from '@berth/kit';

/** A clock whose wall time stands still until a test moves it; its timers and durations are the machine's. */
export interface MovableClock extends Clock {
  /** Sets the wall time, also backwards. */
  setNowMs(nowMs: number): void;
}

export function createMovableClock(startMs: number): MovableClock {
  let wallMs = startMs;
  return {
    ...createSystemClock(),
    nowMs: () => wallMs,
    setNowMs(nowMs) {
      wallMs = nowMs;
    },
  };
}
