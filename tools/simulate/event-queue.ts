interface Event {
  readonly atMs: number;
  /** Of two events at the same time the one that was added first comes first. */
  readonly order: number;
  readonly run: (nowMs: number) => void;
}

/** Queue of future events, a binary heap. Time jumps from event to event and never goes back. */
export class EventQueue {
  readonly #heap: Event[] = [];
  #added = 0;
  #nowMs = 0;

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Returns the time of the next event; undefined when there is none. */
  get nextAtMs(): number | undefined {
    return this.#heap[0]?.atMs;
  }

  /** @param atMs in the past it counts as now. */
  at(atMs: number, run: (nowMs: number) => void): void {
    const heap = this.#heap;
    const event: Event = { atMs: Math.max(atMs, this.#nowMs), order: this.#added++, run };
    let index = heap.length;
    heap.push(event);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (isBefore(heap[parent]!, event)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = event;
  }

  /** Advances to the next event and runs it; returns false when there is none. */
  step(): boolean {
    const [first] = this.#heap;
    if (first === undefined) return false;
    const last = this.#heap.pop()!;
    if (last !== first) this.#sink(last);
    this.#nowMs = first.atMs;
    first.run(first.atMs);
    return true;
  }

  /** Puts an event in the place of the first. */
  #sink(event: Event): void {
    const heap = this.#heap;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (isBefore(event, heap[child]!)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = event;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
