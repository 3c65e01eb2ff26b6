import type { Metrics, MetricsPoint } from '@berth/contract';
import type { TimeRange } from './plot-span.ts';

/** Data of one plot: times in epoch seconds and, per line, a value or a gap for each time. */
export interface PlotSeries {
  readonly times: readonly number[];
  readonly lines: readonly (readonly (number | null)[])[];
}

/** Plots in the order in which they are shown. */
export const PLOTS = ['requests', 'latency', 'instances', 'cpu', 'memory', 'coldStarts'] as const;

/** Name of a plot. */
export type Plot = (typeof PLOTS)[number];

/** Values of each plot's lines. Without requests, a count is zero and a latency is a gap. */
const LINES: Readonly<Record<Plot, readonly ((point: MetricsPoint, stepSeconds: number) => number | null)[]>> = {
  requests: [(point) => point.requests, (point) => point.errors],
  latency: [
    (point) => (point.requests === 0 ? null : point.p50_ms),
    (point) => (point.requests === 0 ? null : point.p95_ms),
    (point) => (point.requests === 0 ? null : point.p99_ms),
  ],
  instances: [(point) => point.instances],
  cpu: [(point, stepSeconds) => point.cpu_seconds / stepSeconds],
  memory: [(point) => point.memory_bytes || null, (point) => point.memory_max_bytes || null],
  coldStarts: [(point) => point.cold_starts],
};

const NOTHING: MetricsPoint = {
  time: '',
  requests: 0,
  errors: 0,
  p50_ms: 0,
  p95_ms: 0,
  p99_ms: 0,
  instances: 0,
  cold_starts: 0,
  cold_start_ms: null,
  cpu_seconds: 0,
  memory_bytes: 0,
  memory_max_bytes: 0,
} as MetricsPoint;

/** Returns one point per step of the range, oldest first. The API leaves out steps in which nothing ran. */
export function fillPoints({ step_seconds, points }: Metrics, { fromMs, toMs }: TimeRange): MetricsPoint[] {
  const stepMs = step_seconds * 1000;
  const byStep = new Map(points.map((point) => [Math.floor(Date.parse(point.time) / stepMs), point]));
  const first = Math.floor(fromMs / stepMs) + (fromMs % stepMs === 0 ? 0 : 1);
  const last = Math.ceil(toMs / stepMs) - 1;
  return Array.from({ length: Math.max(1, last - first + 1) }, (_, at) => {
    const step = first + at;
    return byStep.get(step) ?? { ...NOTHING, time: new Date(step * stepMs).toISOString() };
  });
}

/** Returns the lines of a plot. */
export function plotSeries(plot: Plot, points: readonly MetricsPoint[], stepSeconds: number): PlotSeries {
  return {
    times: points.map(({ time }) => Date.parse(time) / 1000),
    lines: LINES[plot].map((read) => points.map((point) => read(point, stepSeconds))),
  };
}
