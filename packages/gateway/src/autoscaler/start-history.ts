import { backoffMs } from '@berth/kit';
import type { GatewayPolicy } from '../port/gateway-policy.ts';

/** Why a start failed, as reported to clients. */
export interface StartFailure {
  readonly code: string;
  readonly message: string;
}

/** The start times (A) and failures (f) of a revision, from which the duration and the backoff of its next start follow. */
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

  /** A: the mean of the last start times. */
  get meanMs(): number {
    const { length } = this.#startsMs;
    return length === 0 ? this.#policy.startTimeSeedMs : this.#startsMs.reduce((sum, ms) => sum + ms, 0) / length;
  }

  /** f: consecutive failures. */
  get failures(): number {
    return this.#failures;
  }

  get nextStartAtMs(): number {
    return this.#nextStartAtMs;
  }

  /** The failure of the last start; undefined when it succeeded. */
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
   * Records a failed start, or the crash of a ready instance.
   *
   * @param startedAtMs when the instance was started: only one of several that started together lengthens the backoff.
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

  /** Records that the machine had no capacity. Clients are told, but there is no reason to back off. */
  recordNoCapacity(failure: StartFailure): void {
    this.#failure = failure;
  }
}
