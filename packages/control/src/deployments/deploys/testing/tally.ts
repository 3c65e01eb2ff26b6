/** Counts how much of something goes on at once. */
export interface Tally {
  /** The most that went on at once for one name. */
  readonly peakOfOne: number;
  /** The most that went on at once. */
  readonly peak: number;
  /** Runs `work`, which counts until it ends or `signal` aborts. */
  count(name: string, signal: AbortSignal, work: () => Promise<void>): Promise<void>;
  /** Forgets what goes on: its process is gone. */
  reset(): void;
}

export function createTally(): Tally {
  let active = new Map<string, number>();
  let peakOfOne = 0;
  let peak = 0;
  return {
    get peakOfOne() {
      return peakOfOne;
    },
    get peak() {
      return peak;
    },
    async count(name, signal, work) {
      const counts = active;
      counts.set(name, (counts.get(name) ?? 0) + 1);
      peakOfOne = Math.max(peakOfOne, counts.get(name) ?? 0);
      peak = Math.max(
        peak,
        [...counts.values()].reduce((sum, count) => sum + count, 0),
      );
      let isOver = false;
      const end = () => {
        if (!isOver) counts.set(name, (counts.get(name) ?? 0) - 1);
        isOver = true;
      };
      signal.addEventListener('abort', end, { once: true });
      try {
        await work();
      } finally {
        end();
      }
    },
    reset() {
      active = new Map();
    },
  };
}
