import type { Random } from './create-random.ts';

/** The kinds of traffic there are. */
export const TRACE_NAMES = ['diurnal', 'spike', 'flap', 'constant'] as const;
/** The name of a trace. */
export type TraceName = (typeof TRACE_NAMES)[number];

/** A stretch of time in which the rate stays the same. */
export interface RateSegment {
  /** Times the service's mean rate. */
  readonly ratio: number;
  readonly untilMs: number;
}

/** How a service's rate goes up and down. */
export interface TraceShape {
  /** The highest ratio there is: what a peak-sized service is sized for. */
  readonly peakRatio: number;
  segmentAt(nowMs: number): RateSegment;
}

const STEP_MS = 10_000;
const SPIKE_RATIO = 20;
const SPIKE_MS = 60_000;
const FLAP_ON_MS = 30_000;
const FLAP_PERIOD_MS = 120_000;

/**
 * - `constant`: the mean rate, always.
 * - `diurnal`: one day, pressed into the run: from nothing to twice the mean and back. Services differ by up to a fifth
 *   of the day.
 * - `spike`: the mean rate, and twenty times as much for a minute (at most a quarter of the run), at a time of the service's own.
 * - `flap`: four times the mean for 30 s, then nothing for 90 s, over and over.
 */
export function createTraceShape(name: TraceName, horizonMs: number, random: Random): TraceShape {
  const phase = random();
  switch (name) {
    case 'constant':
      return { peakRatio: 1, segmentAt: () => ({ ratio: 1, untilMs: Number.POSITIVE_INFINITY }) };
    case 'diurnal':
      return {
        peakRatio: 2,
        segmentAt(nowMs) {
          const step = Math.floor(nowMs / STEP_MS);
          const day = ((step + 0.5) * STEP_MS) / horizonMs + phase / 5;
          return { ratio: 1 - Math.cos(2 * Math.PI * day), untilMs: (step + 1) * STEP_MS };
        },
      };
    case 'spike': {
      const lengthMs = Math.min(SPIKE_MS, horizonMs / 4);
      const startMs = phase * (horizonMs - lengthMs);
      return {
        peakRatio: SPIKE_RATIO,
        segmentAt(nowMs) {
          if (nowMs < startMs) return { ratio: 1, untilMs: startMs };
          if (nowMs < startMs + lengthMs) return { ratio: SPIKE_RATIO, untilMs: startMs + lengthMs };
          return { ratio: 1, untilMs: Number.POSITIVE_INFINITY };
        },
      };
    }
    case 'flap': {
      const onRatio = FLAP_PERIOD_MS / FLAP_ON_MS;
      const offsetMs = Math.floor(phase * FLAP_PERIOD_MS);
      return {
        peakRatio: onRatio,
        segmentAt(nowMs) {
          const periodStartMs = Math.floor((nowMs + offsetMs) / FLAP_PERIOD_MS) * FLAP_PERIOD_MS - offsetMs;
          if (nowMs < periodStartMs + FLAP_ON_MS) return { ratio: onRatio, untilMs: periodStartMs + FLAP_ON_MS };
          return { ratio: 0, untilMs: periodStartMs + FLAP_PERIOD_MS };
        },
      };
    }
  }
}
