/** The figures of one policy. */
export interface Figures {
  readonly requests: number;
  /** Requests that got a slot. */
  readonly granted: number;
  /** What the instances cost: the time each existed, starting and stopping included, until the traffic ended. */
  readonly instanceSeconds: number;
  /** From arrival to a slot, of the requests that got one; rounded up to milliseconds. */
  readonly waitP50Ms: number;
  readonly waitP95Ms: number;
  readonly waitP99Ms: number;
  readonly waitMaxMs: number;
  /** Instances started while the run went on, whether or not the start was good. */
  readonly coldStarts: number;
  /** Refusals, and requests cut off by their timeout, by status. */
  readonly rejected: { readonly 429: number; readonly 503: number; readonly 504: number };
  /** The most instances that existed within one second, of all services together. */
  readonly maxInstances: number;
}

/** Counts what happens to all services under one policy. */
export class Tally {
  readonly #horizonMs: number;
  /** Requests by their wait in milliseconds. */
  readonly #waits = new Map<number, number>();
  #waited = 0;
  #requests = 0;
  #coldStarts = 0;
  #instanceMs = 0;
  readonly #rejected = { 429: 0, 503: 0, 504: 0 };
  /** By second: how many instances more there are than in the second before. */
  readonly #changes: Int32Array;

  /** @param horizonMs where the traffic, and with it the bill, ends. */
  constructor(horizonMs: number) {
    this.#horizonMs = horizonMs;
    this.#changes = new Int32Array(Math.ceil(horizonMs / 1_000) + 2);
  }

  addRequest(): void {
    this.#requests++;
  }

  addWait(waitMs: number): void {
    const roundedMs = Math.ceil(waitMs);
    this.#waits.set(roundedMs, (this.#waits.get(roundedMs) ?? 0) + 1);
    this.#waited++;
  }

  addRejection(status: 429 | 503 | 504): void {
    this.#rejected[status]++;
  }

  addColdStart(): void {
    this.#coldStarts++;
  }

  /** An instance is gone. What lies after the horizon doesn't count. */
  addInstance(fromMs: number, toMs: number): void {
    if (fromMs >= this.#horizonMs) return;
    const untilMs = Math.min(toMs, this.#horizonMs);
    this.#instanceMs += untilMs - fromMs;
    this.#changes[Math.floor(fromMs / 1_000)]!++;
    this.#changes[Math.ceil(untilMs / 1_000)]!--;
  }

  figures(): Figures {
    const sorted = [...this.#waits].sort(([a], [b]) => a - b);
    const quantileMs = (ratio: number) => {
      let below = 0;
      for (const [waitMs, count] of sorted) {
        below += count;
        if (below >= ratio * this.#waited) return waitMs;
      }
      return 0;
    };
    let now = 0;
    let maxInstances = 0;
    for (const change of this.#changes) {
      now += change;
      maxInstances = Math.max(maxInstances, now);
    }
    return {
      requests: this.#requests,
      granted: this.#waited,
      instanceSeconds: Math.round(this.#instanceMs) / 1_000,
      waitP50Ms: quantileMs(0.5),
      waitP95Ms: quantileMs(0.95),
      waitP99Ms: quantileMs(0.99),
      waitMaxMs: sorted.at(-1)?.[0] ?? 0,
      coldStarts: this.#coldStarts,
      rejected: { ...this.#rejected },
      maxInstances,
    };
  }
}
