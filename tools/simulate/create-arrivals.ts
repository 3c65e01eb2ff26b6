import { exponential, type Random } from './create-random.ts';
import type { TraceShape } from './trace-shape.ts';

/** A request: when its headers are in, and how long the service takes for it. */
export interface Arrival {
  readonly atMs: number;
  readonly durationMs: number;
}

/** The traffic of a service. */
export interface Traffic {
  /** Approximate mean over the run. */
  readonly requestsPerSecond: number;
  /** Mean of the exponentially distributed times the service takes. */
  readonly meanDurationMs: number;
  readonly shape: TraceShape;
}

/** Independent arrivals (a Poisson process whose rate follows the shape), in order, until the horizon. One at a time: no trace is ever in memory. */
export function* createArrivals(traffic: Traffic, horizonMs: number, random: Random): Generator<Arrival, void> {
  let nowMs = 0;
  for (;;) {
    // The gap at the mean rate; a stretch with a higher one uses it up faster.
    let gapMs = exponential(random, 1_000 / traffic.requestsPerSecond);
    for (;;) {
      if (nowMs >= horizonMs) return;
      const { ratio, untilMs } = traffic.shape.segmentAt(nowMs);
      const spanMs = untilMs - nowMs;
      if (ratio * spanMs > gapMs) {
        nowMs += gapMs / ratio;
        break;
      }
      gapMs -= ratio * spanMs;
      nowMs = untilMs;
    }
    if (nowMs >= horizonMs) return;
    yield { atMs: nowMs, durationMs: 1 + exponential(random, traffic.meanDurationMs) };
  }
}
