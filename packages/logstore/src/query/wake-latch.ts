/** A flag for one waiter: raised any number of times, it wakes the waiter once. */
export interface WakeLatch {
  raise(): void;
  /** Resolves when the flag has been raised since the last wait, and lowers it. */
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
