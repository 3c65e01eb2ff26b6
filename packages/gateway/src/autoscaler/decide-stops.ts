import type { GatewayPolicy } from '../port/gateway-policy.ts';
import { wantedInstances } from './wanted-instances.ts';

/** The state of a revision at a tick. */
export interface StopObservation {
  readonly concurrency: number;
  /** Ready instances to keep. */
  readonly minInstances: number;
  readonly ready: number;
  readonly inFlight: number;
  readonly queued: number;
  /** Time-weighted means of requests in flight and queued, over the two windows. */
  readonly stableLoad: number;
  readonly panicLoad: number;
  /** When each idle ready instance became idle, longest idle first. */
  readonly idleSinceMs: readonly number[];
}

/** The state that one tick passes to the next. */
export interface ScaleState {
  /** When the panic ends; in the past when there is none. */
  readonly panicUntilMs: number;
  /** The largest `wanted` of this panic. */
  readonly panicWanted: number;
  /** Since when fewer instances than are ready would be enough; null when all are needed. */
  readonly surplusSinceMs: number | null;
}

/** The state before the first tick. */
export const INITIAL_SCALE_STATE: ScaleState = {
  panicUntilMs: Number.NEGATIVE_INFINITY,
  panicWanted: 0,
  surplusSinceMs: null,
};

export interface StopDecision {
  /** Instances that the load of the windows needs. Never falls during a panic (I6). */
  readonly wanted: number;
  /** How many idle instances to stop, longest idle first. */
  readonly stop: number;
  readonly state: ScaleState;
}

/**
 * Decides how many instances a tick stops, by two rules. An instance that has been idle for the idle timeout is stopped, whatever the
 * load. When fewer instances than are ready have been enough for the whole delay, the surplus is stopped: at most half of the instances
 * in a tick, and never the last one. Both rules keep `minInstances` and stop only idle instances, so no request is cut off. When the short
 * window needs twice the ready instances, a panic begins, and nothing is stopped for a minute.
 */
export function decideStops(
  seen: StopObservation,
  state: ScaleState,
  policy: GatewayPolicy,
  nowMs: number,
): StopDecision {
  const wantedIn = (load: number) => wantedInstances(load, seen.concurrency, policy);
  const panicWindowWants = wantedIn(seen.panicLoad);
  const steady = Math.max(wantedIn(seen.stableLoad), wantedIn(seen.inFlight + seen.queued));
  const isOver = panicWindowWants / Math.max(1, seen.ready) >= policy.panicRatio;
  const panicUntilMs = isOver ? nowMs + policy.panicHoldMs : state.panicUntilMs;
  if (nowMs < panicUntilMs) {
    const before = nowMs < state.panicUntilMs ? state.panicWanted : 0;
    const wanted = Math.max(before, steady, panicWindowWants);
    return { wanted, stop: 0, state: { panicUntilMs, panicWanted: wanted, surplusSinceMs: null } };
  }

  const wanted = steady;
  const surplus = seen.ready - Math.max(1, wanted, seen.minInstances);
  const surplusSinceMs = surplus > 0 ? (state.surplusSinceMs ?? nowMs) : null;
  const isDue = surplusSinceMs !== null && nowMs - surplusSinceMs >= policy.shrinkDelayMs;
  const bySurplus = isDue ? Math.min(surplus, Math.max(1, Math.floor(seen.ready / 2))) : 0;
  const byIdleness =
    seen.queued > 0 ? 0 : seen.idleSinceMs.filter((since) => nowMs - since >= policy.idleTimeoutMs).length;
  return {
    wanted,
    stop: Math.max(
      0,
      Math.min(Math.max(bySurplus, byIdleness), seen.idleSinceMs.length, seen.ready - seen.minInstances),
    ),
    state: { panicUntilMs, panicWanted: 0, surplusSinceMs },
  };
}
