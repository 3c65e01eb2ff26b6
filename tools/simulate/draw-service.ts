import type { Traffic } from './create-arrivals.ts';
import { logUniform, pick, type Random } from './create-random.ts';
import type { TraceShape } from './trace-shape.ts';

/** A simulated service: its program and its settings. */
export interface ServiceProfile {
  readonly concurrency: number;
  /** 0: no maximum. */
  readonly maxInstances: number;
  /** Kept ready without requests; by Berth alone. */
  readonly minInstances: number;
  readonly timeoutMs: number;
  /** From the decision to an answering port. */
  readonly startMs: number;
  /** A start takes up to this share less or more. */
  readonly startSpreadRatio: number;
  /** The share of starts that fail, when their time is over. */
  readonly startFailureRatio: number;
  /** From SIGTERM to the end of the process. */
  readonly stopMs: number;
}

/** The rate of the busiest service, and how fast the rates of the others fall with their rank: a few take most, and most get a handful an hour. */
const TOP_REQUESTS_PER_SECOND = 200;
const RANK_EXPONENT = 1.3;

/**
 * A service of a mixed population: requests of 10 ms to 1 s, starts of 0.3 to 10 s, concurrency 1, 10 or 80 (the
 * default), at most 20 or 200 instances, timeouts of 10 s to 10 min (the default).
 *
 * @param rank 1 for the busiest.
 * @param minInstances at most 20, the smaller of the maxima.
 */
export function drawService(
  rank: number,
  shape: TraceShape,
  random: Random,
  minInstances: number,
): { readonly profile: ServiceProfile; readonly traffic: Traffic } {
  return {
    profile: {
      concurrency: pick(random, [1, 10, 80]),
      maxInstances: pick(random, [20, 200]),
      minInstances,
      timeoutMs: pick(random, [10_000, 60_000, 600_000]),
      startMs: logUniform(random, 300, 10_000),
      startSpreadRatio: 0.3,
      startFailureRatio: 0.005,
      stopMs: 200,
    },
    traffic: {
      requestsPerSecond: TOP_REQUESTS_PER_SECOND / rank ** RANK_EXPONENT,
      meanDurationMs: logUniform(random, 10, 1_000),
      shape,
    },
  };
}
