import type { Clock, Timer } from '@berth/kit';

/** Something that keeps slots for a while. */
export interface Parking {
  /** When the oldest was parked; infinite when there is none. */
  readonly oldestParkedMs: number;
  giveBackOld(untilMs: number): void;
}

/** It is not worth more precision than this part of the time. */
const PRECISION = 4;

/** Sees to it that nothing stays parked for long, with one timer for all pools. */
export class ParkTimer {
  readonly #clock: Clock;
  readonly #parkMs: () => number;
  readonly #parkings = new Set<Parking>();
  #timer: Timer | null = null;

  constructor(clock: Clock, parkMs: () => number) {
    this.#clock = clock;
    this.#parkMs = parkMs;
  }

  /** It keeps something now. */
  watch(parking: Parking): void {
    this.#parkings.add(parking);
    if (this.#timer === null) this.#arm();
  }

  cancel(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#parkings.clear();
  }

  #arm(): void {
    const parkMs = this.#parkMs();
    let oldestMs = Number.POSITIVE_INFINITY;
    for (const parking of this.#parkings) {
      if (parking.oldestParkedMs === Number.POSITIVE_INFINITY) this.#parkings.delete(parking);
      oldestMs = Math.min(oldestMs, parking.oldestParkedMs);
    }
    if (oldestMs === Number.POSITIVE_INFINITY) return;
    const dueMs = oldestMs + parkMs - this.#clock.monotonicMs();
    this.#timer = this.#clock.setTimer(Math.max(dueMs, parkMs / PRECISION), () => {
      this.#timer = null;
      const untilMs = this.#clock.monotonicMs() - parkMs;
      for (const parking of this.#parkings) parking.giveBackOld(untilMs);
      this.#arm();
    });
  }
}
