/** Reference counts by name: a thing is removed when it is no longer used. All methods are synchronous. */
export interface Pins {
  /** Pins all `names`. Call the returned function once to unpin them. */
  hold(names: readonly string[]): () => void;
  isHeld(name: string): boolean;
  /** Calls `work` now, or when the last holder has let go. */
  whenFree(name: string, work: () => void): void;
}

export function createPins(): Pins {
  const counts = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();

  function letGo(name: string): void {
    const left = (counts.get(name) ?? 1) - 1;
    if (left > 0) {
      counts.set(name, left);
      return;
    }
    counts.delete(name);
    const works = waiting.get(name) ?? [];
    waiting.delete(name);
    for (const work of works) work();
  }

  return {
    hold(names) {
      for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        names.forEach(letGo);
      };
    },
    isHeld: (name) => counts.has(name),
    whenFree(name, work) {
      if (counts.has(name)) waiting.set(name, [...(waiting.get(name) ?? []), work]);
      else work();
    },
  };
}
