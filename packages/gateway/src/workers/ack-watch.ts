import type { Clock, Timer } from '@berth/kit';

/** A process that has not begun by then will not: a deploy must not wait for it for ever. */
const BEGIN_MS = 60_000;
/** When this process stood still itself, answers that came meanwhile are read first. */
const LAST_CHANCE_MS = 250;

/** What a watch is made of. */
export interface AckWatchOptions {
  readonly clock: Clock;
  /** How long an acknowledgement may take. */
  readonly ackMs: number;
  /** It took longer, or the process has not begun in a minute. Called once. */
  readonly onLate: (what: string) => void;
}

/** Waits for another process to acknowledge what it was told, in its order. */
export class AckWatch {
  readonly #options: AckWatchOptions;
  readonly #awaited: { readonly version: number; dueMs: number; readonly acked: () => void }[] = [];
  #version = 0;
  #timer: Timer | null;
  /** Before, nothing is asked of the process but that it begins. */
  #hasBegun = false;

  constructor(options: AckWatchOptions) {
    this.#options = options;
    this.#timer = options.clock.setTimer(BEGIN_MS, () => options.onLate('has not begun'));
  }

  /** A version for what is told next. */
  next(): number {
    return ++this.#version;
  }

  /** Resolves when the version is acknowledged, or when the watch ends. */
  wait(version: number): Promise<void> {
    return new Promise((acked) => {
      const { clock, ackMs } = this.#options;
      this.#awaited.push({ version, dueMs: clock.monotonicMs() + ackMs, acked });
      this.#arm();
    });
  }

  begun(): void {
    const { clock, ackMs } = this.#options;
    this.#hasBegun = true;
    for (const each of this.#awaited) each.dueMs = clock.monotonicMs() + ackMs;
    this.#disarm();
    this.#arm();
  }

  /** All up to this version is done. */
  acknowledged(version: number): void {
    while (this.#awaited[0] !== undefined && this.#awaited[0].version <= version) this.#awaited.shift()?.acked();
    this.#disarm();
    this.#arm();
  }

  /** The process is gone: nothing is waited for. */
  end(): void {
    this.#disarm();
    for (const { acked } of this.#awaited.splice(0)) acked();
  }

  #arm(): void {
    const [first] = this.#awaited;
    if (first === undefined || this.#timer !== null || !this.#hasBegun) return;
    const { clock, onLate } = this.#options;
    this.#timer = clock.setTimer(Math.max(0, first.dueMs - clock.monotonicMs()), () => {
      this.#timer = clock.setTimer(LAST_CHANCE_MS, () => onLate('does not answer'));
    });
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }
}
