import type { GatewayPolicy } from '../port/gateway-policy.ts';
import { wantedInstances } from './wanted-instances.ts';

/** What one tick sees of a revision. */
export interface StopObservation {
  readonly concurrency: number;
  /** Never fewer ready ones than this, where there are as many. */
  readonly minInstances: number;
  readonly ready: number;
  readonly inFlight: number;
  readonly queued: number;
  /** Time-weighted means of in flight + queued. */
  readonly stableLoad: number;
  readonly panicLoad: number;
  /** Since when each ready instance without a request is idle, longest first. */
  readonly idleSinceMs: readonly number[];
}

/** What a tick hands to the next. */
export interface ScaleState {
  /** Panic ends here; in the past when there is none. */
  readonly panicUntilMs: number;
  /** Largest `wanted` of this panic. */
  readonly panicWanted: number;
  /** Since when fewer than the ready instances were enough; null when they are not. */
  readonly surplusSinceMs: number | null;
}

/** Before the first tick. */
export const INITIAL_SCALE_STATE: ScaleState = {
  panicUntilMs: Number.NEGATIVE_INFINITY,
  panicWanted: 0,
  surplusSinceMs: null,
};

export interface StopDecision {
  /** Instances the load of the windows asks for; never falls during a panic (I6). */
  readonly wanted: number;
  /** How many of the idle instances to stop, longest idle first. */
  readonly stop: number;
  readonly state: ScaleState;
}

/**
 * What a tick stops. Two rules: an instance idle for the idle timeout goes, whatever the load; and when fewer instances
 * than are ready were enough for the whole delay, the surplus goes, at most half of them a tick and never the last. Both spare `minInstances`.
 * Only idle instances are taken, so nothing is ever cut off. A short window that asks for twice what is ready is a
 * panic: nothing goes for a minute.
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
