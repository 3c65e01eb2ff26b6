/** A flag that is waited for: raised any number of times, it wakes its one waiter once. */
export interface WakeLatch {
  raise(): void;
  /** Resolves when the flag was raised since the last wait, or is raised, and lowers it. */
  wait(): Promise<void>;
}

export function createWakeLatch(): WakeLatch {
  let isRaised = false;
  let wake: (() => void) | undefined;
  return {
    raise() {
      isRaised = true;
      wake?.();
    },
    async wait() {
      if (!isRaised) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      isRaised = false;
      wake = undefined;
    },
  };
}
