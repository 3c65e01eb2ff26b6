/** Runs `work` after `delayMs` milliseconds; returns a function that cancels it. */
export type Schedule = (work: () => void, delayMs: number) => () => void;

/** Schedules work with the browser's timer. */
export const schedule: Schedule = (work, delayMs) => {
  const timer = setTimeout(work, delayMs);
  return () => clearTimeout(timer);
};
