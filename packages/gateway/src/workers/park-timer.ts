import type { Clock, Timer } from '@berth/kit';
import type { LeasedPool } from './leased-pool.ts';

/** The timer fires at most this many times in one parking time, to save wake-ups. */
const PRECISION = 4;

/** The timer that returns parked slots after their parking time; one timer for all pools. */
export class ParkTimer {
  readonly #clock: Clock;
  readonly #parkMs: () => number;
  readonly #parkings = new Set<LeasedPool>();
  #timer: Timer | null = null;

  constructor(clock: Clock, parkMs: () => number) {
    this.#clock = clock;
    this.#parkMs = parkMs;
  }

  /** Watches a holder that has parked a slot, until it has none. */
  watch(parking: LeasedPool): void {
    this.#parkings.add(parking);
    if (this.#timer === null) this.#arm();
  }

  /** Stops the timer and forgets all holders. */
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
