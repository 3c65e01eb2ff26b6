const STEP_MS = 100;

/**
 * How long an instance is billable: while it starts and while it serves, in steps of 100 ms (docs/contract/control-plane.md §8).
 * A step that two short requests share is counted once, so the sum never passes the instance's life by more than a step.
 */
export class BillableTime {
  #billedMs = 0;
  #billedUntilMs = Number.NEGATIVE_INFINITY;
  #busySinceMs: number | null = null;
  #takenMs = 0;

  get isRunning(): boolean {
    return this.#busySinceMs !== null;
  }

  start(nowMs: number): void {
    this.#busySinceMs ??= nowMs;
  }

  stop(nowMs: number): void {
    if (this.#busySinceMs === null) return;
    const fromMs = Math.max(this.#busySinceMs, this.#billedUntilMs);
    this.#busySinceMs = null;
    if (nowMs <= fromMs) return;
    const billedMs = Math.ceil((nowMs - fromMs) / STEP_MS) * STEP_MS;
    this.#billedMs += billedMs;
    this.#billedUntilMs = fromMs + billedMs;
  }

  /**
   * Milliseconds billed since it was last asked, a multiple of 100. Of what still runs the whole steps are in it; the
   * step that is not over is in a later answer.
   */
  take(nowMs: number): number {
    if (this.#busySinceMs !== null) {
      const fromMs = Math.max(this.#busySinceMs, this.#billedUntilMs);
      const wholeMs = Math.max(0, Math.floor((nowMs - fromMs) / STEP_MS) * STEP_MS);
      this.#billedMs += wholeMs;
      if (wholeMs > 0) this.#billedUntilMs = fromMs + wholeMs;
    }
    const takenMs = this.#billedMs - this.#takenMs;
    this.#takenMs = this.#billedMs;
    return takenMs;
  }

  /** Milliseconds billed up to the last {@link stop} or {@link take}; a multiple of 100. */
  get totalMs(): number {
    return this.#billedMs;
  }
}
