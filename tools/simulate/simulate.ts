import type { GatewayPolicy } from '@berth/gateway/policy';
import { createArrivals } from './create-arrivals.ts';
import { createRandom } from './create-random.ts';
import { drawService } from './draw-service.ts';
import { runService } from './run-service.ts';
import { createBerthScaler, createFixedScaler, createNaiveScaler } from './scalers.ts';
import { type Figures, Tally } from './tally.ts';
import { createTraceShape, type TraceName } from './trace-shape.ts';

/** What is simulated. */
export interface SimulateOptions {
  readonly services: number;
  readonly trace: TraceName;
  readonly seconds: number;
  /** An integer; the same one gives the same figures. */
  readonly seed: number;
  /** `min_instances` of every service, under Berth's policy alone. */
  readonly minInstances: number;
  readonly policy: GatewayPolicy;
}

/** The figures of each way to scale. */
export interface Comparison {
  readonly berth: Figures;
  readonly fixed: Figures;
  readonly naive: Figures;
}

/** The streams of chance of a service: they are apart, so that every policy gets the same services and requests. */
const STREAM = { service: 1, arrivals: 2, starts: 3 } as const;

/**
 * Every service under every policy. Services are simulated one after the other, each on its own clock: they share nothing, so
 * the machine's bounds (memory, simultaneous starts) are not part of it.
 */
export function simulate({ services, trace, seconds, seed, minInstances, policy }: SimulateOptions): Comparison {
  const horizonMs = seconds * 1_000;
  const tallies = { berth: new Tally(horizonMs), fixed: new Tally(horizonMs), naive: new Tally(horizonMs) };
  for (let rank = 1; rank <= services; rank++) {
    const random = createRandom(seed, rank, STREAM.service);
    const { profile, traffic } = drawService(rank, createTraceShape(trace, horizonMs, random), random, minInstances);
    const scalers = {
      berth: createBerthScaler(policy),
      fixed: createFixedScaler(profile, traffic, policy),
      naive: createNaiveScaler(),
    };
    for (const name of ['berth', 'fixed', 'naive'] as const) {
      runService({
        policy,
        profile,
        scaler: scalers[name],
        tally: tallies[name],
        horizonMs,
        arrivals: createArrivals(traffic, horizonMs, createRandom(seed, rank, STREAM.arrivals)),
        random: createRandom(seed, rank, STREAM.starts),
      });
    }
  }
  return {
    berth: tallies.berth.figures(),
    fixed: tallies.fixed.figures(),
    naive: tallies.naive.figures(),
  };
}
