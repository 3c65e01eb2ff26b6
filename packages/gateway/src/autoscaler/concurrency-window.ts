const BUCKET_MS = 1_000;

/**
 * The time-weighted mean of a number that changes in steps, over the last seconds. Kept as areas in buckets of a second,
 * so a change costs one multiplication and memory does not grow with the load.
 */
export class ConcurrencyWindow {
  readonly #areas: Float64Array;
  #value = 0;
  /** Start of the bucket that is being filled, and how far it is filled. */
  #bucketStartMs: number;
  #filledToMs: number;
  #slot = 0;
  readonly #firstMs: number;

  constructor(windowMs: number, nowMs: number) {
    this.#areas = new Float64Array(Math.max(1, Math.ceil(windowMs / BUCKET_MS)));
    this.#bucketStartMs = nowMs;
    this.#filledToMs = nowMs;
    this.#firstMs = nowMs;
  }

  /** From now on the number is `value`. */
  set(value: number, nowMs: number): void {
    this.#advance(nowMs);
    this.#value = value;
  }

  /** The mean over the last `windowMs`; over what there is of them when the window is younger. */
  mean(windowMs: number, nowMs: number): number {
    this.#advance(nowMs);
    const buckets = Math.min(this.#areas.length, Math.max(1, Math.ceil(windowMs / BUCKET_MS)));
    let area = 0;
    for (let back = 0; back < buckets; back++) area += this.#areas[this.#slotBack(back)]!;
    const coveredMs = (buckets - 1) * BUCKET_MS + (this.#filledToMs - this.#bucketStartMs);
    const lengthMs = Math.min(coveredMs, nowMs - this.#firstMs);
    return lengthMs > 0 ? area / lengthMs : this.#value;
  }

  #advance(nowMs: number): void {
    while (nowMs - this.#bucketStartMs >= BUCKET_MS) {
      const endMs = this.#bucketStartMs + BUCKET_MS;
      this.#areas[this.#slot]! += this.#value * (endMs - this.#filledToMs);
      // After a long silence only the last window of buckets matters.
      const skipped = Math.floor((nowMs - endMs) / BUCKET_MS) - this.#areas.length;
      this.#bucketStartMs = endMs + Math.max(0, skipped) * BUCKET_MS;
      this.#filledToMs = this.#bucketStartMs;
      this.#slot = (this.#slot + 1) % this.#areas.length;
      this.#areas[this.#slot] = 0;
    }
    if (nowMs > this.#filledToMs) {
      this.#areas[this.#slot]! += this.#value * (nowMs - this.#filledToMs);
      this.#filledToMs = nowMs;
    }
  }

  #slotBack(back: number): number {
    return (this.#slot - back + this.#areas.length) % this.#areas.length;
  }
}
