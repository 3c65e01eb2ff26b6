import {
  decideStarts,
  decideStops,
  type GatewayPolicy,
  INITIAL_SCALE_STATE,
  wantedInstances,
} from '@berth/gateway/policy';
import type { Traffic } from './create-arrivals.ts';
import type { ServiceProfile } from './draw-service.ts';
import type { Scaler } from './scaler.ts';

/** The gateway's own decisions. */
export function createBerthScaler(policy: GatewayPolicy): Scaler {
  let state = INITIAL_SCALE_STATE;
  return {
    initialInstances: 0,
    stopsWhenIdle: false,
    decideStarts(seen, nowMs) {
      return decideStarts({ ...seen, wanted: wantedInstances(seen.load, seen.concurrency, policy) }, nowMs);
    },
    tick(seen, nowMs) {
      const decision = decideStops(seen, state, policy, nowMs);
      ({ state } = decision);
      return { wanted: decision.wanted, stop: decision.stop, panicUntilMs: state.panicUntilMs };
    },
  };
}

/** As many instances as the busiest moment of the trace needs on average, at the use Berth aims at; always there, never more. */
export function createFixedScaler(profile: ServiceProfile, traffic: Traffic, policy: GatewayPolicy): Scaler {
  const peakLoad = (traffic.requestsPerSecond * traffic.shape.peakRatio * traffic.meanDurationMs) / 1_000;
  const needed = Math.max(1, wantedInstances(peakLoad, profile.concurrency, policy));
  return {
    initialInstances: profile.maxInstances === 0 ? needed : Math.min(needed, profile.maxInstances),
    stopsWhenIdle: false,
    decideStarts: () => ({ resume: 0, start: 0 }),
  };
}

/** Exactly the instances whose slots the requests fill, in every moment; no backoff. */
export function createNaiveScaler(): Scaler {
  return {
    initialInstances: 0,
    stopsWhenIdle: true,
    decideStarts({ load, concurrency, serving, existing, maxInstances }) {
      const room = maxInstances === 0 ? Number.POSITIVE_INFINITY : maxInstances - existing;
      return { resume: 0, start: Math.max(0, Math.min(Math.ceil(load / concurrency) - serving, room)) };
    },
  };
}
