import type { Clock, Timer } from '@berth/kit';

/** Time in which a process must send its first message. A deploy must not wait forever for a process that never starts. */
const BEGIN_MS = 60_000;
/** Extra time after a deadline, in which this process reads acknowledgments that arrived while it was blocked itself. */
const LAST_CHANCE_MS = 250;

/** Deadlines for the versions that another process must acknowledge, in order. */
export class AckWatch {
  readonly #clock: Clock;
  readonly #ackMs: number;
  readonly #onLate: (what: string) => void;
  readonly #awaited: { readonly version: number; dueMs: number; readonly acked: () => void }[] = [];
  #version = 0;
  #timer: Timer | null;
  /** Until the process has begun, no acknowledgment is due. */
  #hasBegun = false;
  #hasEnded = false;

  /**
   * @param ackMs Time in which a version must be acknowledged.
   * @param onLate Called once, when an acknowledgment is late or the process has not begun within a minute.
   */
  constructor(clock: Clock, ackMs: number, onLate: (what: string) => void) {
    this.#clock = clock;
    this.#ackMs = ackMs;
    this.#onLate = onLate;
    this.#timer = clock.setTimer(BEGIN_MS, () => onLate('has not started'));
  }

  /** Returns the version of the next message. */
  next(): number {
    return ++this.#version;
  }

  /** Resolves when the version is acknowledged or the watch ends. */
  wait(version: number): Promise<void> {
    if (this.#hasEnded) return Promise.resolve();
    return new Promise((acked) => {
      this.#awaited.push({ version, dueMs: this.#clock.monotonicMs() + this.#ackMs, acked });
      this.#arm();
    });
  }

  /** Starts the deadlines. Called on the first message of the process. */
  begun(): void {
    this.#hasBegun = true;
    for (const each of this.#awaited) each.dueMs = this.#clock.monotonicMs() + this.#ackMs;
    this.#disarm();
    this.#arm();
  }

  /** Resolves all waits up to and including this version. */
  acknowledged(version: number): void {
    while (this.#awaited[0] !== undefined && this.#awaited[0].version <= version) this.#awaited.shift()?.acked();
    this.#disarm();
    this.#arm();
  }

  /** Resolves all waits and stops the timer. Called when the process is gone. */
  end(): void {
    this.#hasEnded = true;
    this.#disarm();
    for (const { acked } of this.#awaited.splice(0)) acked();
  }

  #arm(): void {
    const [first] = this.#awaited;
    if (first === undefined || this.#timer !== null || !this.#hasBegun) return;
    this.#timer = this.#clock.setTimer(Math.max(0, first.dueMs - this.#clock.monotonicMs()), () => {
      this.#timer = this.#clock.setTimer(LAST_CHANCE_MS, () => this.#onLate('does not respond'));
    });
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }
}
