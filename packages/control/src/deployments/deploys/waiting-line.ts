/** What one who waits gives. */
export interface WaitOptions {
  readonly signal: AbortSignal;
  /** Called with how many are ahead, when it has to wait and each time that changes. */
  readonly onPlace?: (ahead: number) => void;
}

/** Lets a few in at a time, first come first served. */
export interface WaitingLine {
  /** Waiting and inside. */
  readonly size: number;
  /**
   * Resolves once inside, with the function that leaves (calling it twice does nothing more).
   * @throws the signal's reason when it aborts while waiting; it then lost its place.
   */
  enter(options: WaitOptions): Promise<() => void>;
}

interface Waiter {
  readonly admit: () => void;
  readonly onPlace: ((ahead: number) => void) | undefined;
}

/** @param width how many may be inside at once, at least 1. */
export function createWaitingLine(width: number): WaitingLine {
  const waiting: Waiter[] = [];
  let inside = 0;

  const tellPlaces = (from: number) => {
    for (let i = from; i < waiting.length; i++) waiting[i]?.onPlace?.(inside + i);
  };
  const leaveOnce = () => {
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      inside--;
      const next = waiting.shift();
      if (!next) return;
      inside++;
      next.admit();
      tellPlaces(0);
    };
  };

  return {
    get size() {
      return waiting.length + inside;
    },
    async enter({ signal, onPlace }) {
      signal.throwIfAborted();
      if (inside < width) {
        inside++;
        return leaveOnce();
      }
      return new Promise((resolve, reject) => {
        const waiter: Waiter = {
          onPlace,
          admit: () => {
            signal.removeEventListener('abort', onAbort);
            resolve(leaveOnce());
          },
        };
        const onAbort = () => {
          const place = waiting.indexOf(waiter);
          waiting.splice(place, 1);
          tellPlaces(place);
          reject(signal.reason);
        };
        signal.addEventListener('abort', onAbort, { once: true });
        waiting.push(waiter);
        onPlace?.(inside + waiting.length - 1);
      });
    },
  };
}
