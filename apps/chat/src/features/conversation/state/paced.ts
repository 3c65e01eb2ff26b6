/** Milliseconds between two renders of a growing answer: 20 a second look smooth and leave the page responsive. */
const STEP_MS = 50;

/** Runs `work` after `delayMs` milliseconds; returns a function that cancels it. */
export type Schedule = (work: () => void, delayMs: number) => () => void;

/** A throttled function. */
export interface Paced {
  /** Marks the work as due. */
  mark(): void;
  /** Runs the work now if it is due, and cancels the schedule. */
  finish(): void;
}

/** Throttles `work` to 20 calls a second; the first call runs without a delay. */
export function createPaced(work: () => void, schedule: Schedule): Paced {
  let isDue = false;
  let cancel: (() => void) | undefined;
  const run = () => {
    cancel = undefined;
    if (!isDue) return;
    isDue = false;
    cancel = schedule(run, STEP_MS);
    work();
  };
  return {
    mark() {
      isDue = true;
      cancel ??= schedule(run, 0);
    },
    finish() {
      cancel?.();
      cancel = undefined;
      if (isDue) work();
      isDue = false;
    },
  };
}
