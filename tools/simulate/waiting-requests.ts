import type { Arrival } from './create-arrivals.ts';

/** A request that waits for a slot. */
export interface WaitingRequest {
  readonly arrival: Arrival;
  deadlineMs: number;
  isWaiting: boolean;
}

/** The FIFO of a simulated service. Those that left from the middle are skipped when their turn comes. */
export class WaitingRequests {
  #line: WaitingRequest[] = [];
  #head = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): WaitingRequest | undefined {
    while (this.#head < this.#line.length && !this.#line[this.#head]!.isWaiting) this.#head++;
    // A line that never runs empty must not keep all who ever stood in it.
    if (this.#head > 0 && this.#head * 2 >= this.#line.length) {
      this.#line = this.#line.slice(this.#head);
      this.#head = 0;
    }
    return this.#line[this.#head];
  }

  push(request: WaitingRequest): void {
    this.#line.push(request);
    this.#size++;
  }

  remove(request: WaitingRequest): void {
    request.isWaiting = false;
    this.#size--;
  }

  /** Those whose deadline is not after `untilMs`, in order. */
  dueUntil(untilMs: number): WaitingRequest[] {
    return this.#line.filter(({ isWaiting, deadlineMs }) => isWaiting && deadlineMs <= untilMs);
  }
}
