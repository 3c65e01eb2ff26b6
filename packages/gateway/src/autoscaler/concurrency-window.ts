const BUCKET_MS = 1_000;

/**
 * The time-weighted mean of a number that changes in steps, over the last seconds. The window holds areas in buckets of one second, so
 * a change costs one multiplication and memory doesn't grow with the load.
 */
export class ConcurrencyWindow {
  /** Allocated at the first value other than 0, which most of thousands of services never have. */
  #areas: Float64Array | null = null;
  readonly #length: number;
  #value = 0;
  /** The start of the current bucket, and the time up to which it is filled. */
  #bucketStartMs: number;
  #filledToMs: number;
  #slot = 0;
  readonly #firstMs: number;

  constructor(windowMs: number, nowMs: number) {
    this.#length = Math.max(1, Math.ceil(windowMs / BUCKET_MS));
    this.#bucketStartMs = nowMs;
    this.#filledToMs = nowMs;
    this.#firstMs = nowMs;
  }

  /** Sets the value from `nowMs` on. */
  set(value: number, nowMs: number): void {
    if (this.#areas === null) {
      if (value === 0) return;
      this.#areas = new Float64Array(this.#length);
      this.#bucketStartMs = nowMs - ((nowMs - this.#firstMs) % BUCKET_MS);
      this.#filledToMs = nowMs;
    }
    this.#advance(this.#areas, nowMs);
    this.#value = value;
  }

  /** Returns the mean over the last `windowMs`, or over the window's life when that is shorter. */
  mean(windowMs: number, nowMs: number): number {
    const areas = this.#areas;
    if (areas === null) return 0;
    this.#advance(areas, nowMs);
    const buckets = Math.min(areas.length, Math.max(1, Math.ceil(windowMs / BUCKET_MS)));
    let area = 0;
    for (let back = 0; back < buckets; back++) area += areas[this.#slotBack(back)]!;
    const coveredMs = (buckets - 1) * BUCKET_MS + (this.#filledToMs - this.#bucketStartMs);
    const lengthMs = Math.min(coveredMs, nowMs - this.#firstMs);
    return lengthMs > 0 ? area / lengthMs : this.#value;
  }

  #advance(areas: Float64Array, nowMs: number): void {
    while (nowMs - this.#bucketStartMs >= BUCKET_MS) {
      const endMs = this.#bucketStartMs + BUCKET_MS;
      areas[this.#slot]! += this.#value * (endMs - this.#filledToMs);
      // After a long time without changes only the buckets of the last window matter.
      const skipped = Math.floor((nowMs - endMs) / BUCKET_MS) - areas.length;
      this.#bucketStartMs = endMs + Math.max(0, skipped) * BUCKET_MS;
      this.#filledToMs = this.#bucketStartMs;
      this.#slot = (this.#slot + 1) % areas.length;
      areas[this.#slot] = 0;
    }
    if (nowMs > this.#filledToMs) {
      areas[this.#slot]! += this.#value * (nowMs - this.#filledToMs);
      this.#filledToMs = nowMs;
    }
  }

  #slotBack(back: number): number {
    return (this.#slot - back + this.#length) % this.#length;
  }
}
