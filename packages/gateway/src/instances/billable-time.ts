/** Billing step. */
const STEP_MS = 100;

/**
 * The billable time of an instance: while it starts, serves, or is kept, in steps of 100 ms (docs/contract/control-plane.md §8).
 * A step that two short requests share is billed once, so the total never exceeds the instance's lifetime by more than one step.
 */
export class BillableTime {
  #billedMs = 0;
  #billedUntilMs = Number.NEGATIVE_INFINITY;
  #busySinceMs: number | null = null;
  #takenMs = 0;

  /** Whether billing runs. */
  get isRunning(): boolean {
    return this.#busySinceMs !== null;
  }

  /** Starts billing. Does nothing while it runs. */
  start(nowMs: number): void {
    this.#busySinceMs ??= nowMs;
  }

  /** Stops billing and bills the current step in full. Does nothing while it is stopped. */
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
   * Returns the milliseconds billed since the last call, a multiple of 100. While billing runs, only completed steps are included; the
   * current step is in a later result.
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

  /** Total milliseconds billed up to the last {@link stop} or {@link take}; a multiple of 100. */
  get totalMs(): number {
    return this.#billedMs;
  }
}
