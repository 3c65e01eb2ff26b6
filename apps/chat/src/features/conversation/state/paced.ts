/** Milliseconds between two pictures of an answer that grows: 20 a second read as one motion and leave the page its time. */
const STEP_MS = 50;

/** Runs work later; returns what calls it off. */
export type Schedule = (work: () => void, delayMs: number) => () => void;

export interface Paced {
  /** Something changed: `work` is due. */
  mark(): void;
  /** Runs it now if it is due, and never again by itself. */
  finish(): void;
}

/** Calls `work` at most 20 times a second, however often it is due, and the first time at once. */
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
