import type { Schedule } from '../../../store/schedule.ts';

/** Milliseconds between two renders of a growing answer: 20 a second look smooth and leave the page responsive. */
const STEP_MS = 50;

/** Throttles `work` to 20 calls a second; the first call runs without a delay. */
export function createPaced(work: () => void, schedule: Schedule) {
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
    /** Marks the work as due. */
    mark() {
      isDue = true;
      cancel ??= schedule(run, 0);
    },
    /** Runs the work now if it is due, and cancels the schedule. */
    finish() {
      cancel?.();
      cancel = undefined;
      if (isDue) work();
      isDue = false;
    },
  };
}
