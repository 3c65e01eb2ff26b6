import { backoffMs } from '@berth/kit';
import type { GatewayPolicy } from '../port/gateway-policy.ts';

/** Why a start failed, in the words a caller is told. */
export interface StartFailure {
  readonly code: string;
  readonly message: string;
}

/** What a revision's past starts say about its next: how long it takes (A), and how long to wait before it (f). */
export class StartHistory {
  readonly #policy: GatewayPolicy;
  readonly #startsMs: number[] = [];
  #failures = 0;
  #lastReadyAtMs = Number.NEGATIVE_INFINITY;
  #lastFailureAtMs = Number.NEGATIVE_INFINITY;
  #nextStartAtMs = Number.NEGATIVE_INFINITY;
  #failure: StartFailure | undefined;

  constructor(policy: GatewayPolicy) {
    this.#policy = policy;
  }

  /** A: mean of the last start times. */
  get meanMs(): number {
    const { length } = this.#startsMs;
    return length === 0 ? this.#policy.startTimeSeedMs : this.#startsMs.reduce((sum, ms) => sum + ms, 0) / length;
  }

  /** f: failures in a row. */
  get failures(): number {
    return this.#failures;
  }

  get nextStartAtMs(): number {
    return this.#nextStartAtMs;
  }

  /** The last start's failure; undefined when it was good. */
  get failure(): StartFailure | undefined {
    return this.#failure;
  }

  recordReady(startMs: number, nowMs: number): void {
    this.#startsMs.push(startMs);
    if (this.#startsMs.length > this.#policy.startTimeSamples) this.#startsMs.shift();
    this.#lastReadyAtMs = nowMs;
    this.#failure = undefined;
  }

  /**
   * A start failed, or a ready instance crashed.
   *
   * @param startedAtMs when that instance was started: of several that started together only one lengthens the backoff.
   */
  recordFailure(failure: StartFailure, startedAtMs: number, nowMs: number): void {
    this.#failure = failure;
    if (startedAtMs < this.#lastFailureAtMs) return;
    const wasStable =
      this.#lastReadyAtMs > this.#lastFailureAtMs && nowMs - this.#lastReadyAtMs >= this.#policy.stableAfterMs;
    this.#failures = wasStable ? 1 : this.#failures + 1;
    this.#lastFailureAtMs = nowMs;
    this.#nextStartAtMs =
      nowMs +
      backoffMs(this.#failures, { baseMs: this.#policy.startBackoffBaseMs, maxMs: this.#policy.startBackoffMaxMs });
  }

  /** The machine had no room: said to callers, but no reason to back off. */
  recordNoCapacity(failure: StartFailure): void {
    this.#failure = failure;
  }
}
