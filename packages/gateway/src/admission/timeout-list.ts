import type { Clock, Timer } from '@berth/kit';

/** Something with a deadline. The list owns the links. */
export interface Timed {
  /** Monotonic. */
  readonly timeoutAtMs: number;
  /** Called when the deadline has passed and the item was removed. */
  onTimeout(): void;
  nextTimed: Timed | null;
  previousTimed: Timed | null;
}

/**
 * The deadlines of the requests under way, in order, with one timer for all of them: a timer for each request would cost more than the
 * rest of its bookkeeping. Requests of one service have the same timeout, so a new deadline belongs at or near the end.
 */
export class TimeoutList {
  readonly #clock: Clock;
  #head: Timed | null = null;
  #tail: Timed | null = null;
  #timer: Timer | null = null;
  #timerAtMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(item: Timed): void {
    let before = this.#tail;
    while (before !== null && before.timeoutAtMs > item.timeoutAtMs) before = before.previousTimed;
    item.previousTimed = before;
    item.nextTimed = before === null ? this.#head : before.nextTimed;
    if (item.nextTimed === null) this.#tail = item;
    else item.nextTimed.previousTimed = item;
    if (before === null) this.#head = item;
    else before.nextTimed = item;
    if (this.#timer === null || item.timeoutAtMs < this.#timerAtMs) this.#arm(item.timeoutAtMs);
  }

  /** Removes an item that is in the list. The timer stays: setting it again when it fires early is cheaper than moving it each time. */
  remove(item: Timed): void {
    if (item.previousTimed === null) this.#head = item.nextTimed;
    else item.previousTimed.nextTimed = item.nextTimed;
    if (item.nextTimed === null) this.#tail = item.previousTimed;
    else item.nextTimed.previousTimed = item.previousTimed;
    item.nextTimed = null;
    item.previousTimed = null;
  }

  #arm(atMs: number): void {
    this.#timer?.cancel();
    this.#timerAtMs = atMs;
    this.#timer = this.#clock.setTimer(Math.max(0, atMs - this.#clock.monotonicMs()), () => {
      this.#timer = null;
      this.#fire();
    });
  }

  #fire(): void {
    const nowMs = this.#clock.monotonicMs();
    for (let item = this.#head; item !== null && item.timeoutAtMs <= nowMs; item = this.#head) {
      this.remove(item);
      item.onTimeout();
    }
    if (this.#head !== null && this.#timer === null) this.#arm(this.#head.timeoutAtMs);
  }
}
