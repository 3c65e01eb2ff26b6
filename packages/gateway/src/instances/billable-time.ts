const STEP_MS = 100;

/**
 * How long an instance is billable: while it starts and while it serves, in steps of 100 ms (spec control-plane 8).
 * A step that two short requests share is counted once, so the sum never passes the instance's life by more than a step.
 */
export class BillableTime {
  #billedMs = 0;
  #billedUntilMs = Number.NEGATIVE_INFINITY;
  #busySinceMs: number | null = null;

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

  /** Milliseconds up to the last {@link stop}; a multiple of 100. */
  get totalMs(): number {
    return this.#billedMs;
  }
}
