import type { Metrics, MetricsPoint, MetricsWindow } from '@berth/contract';
import { METRICS_WINDOW_MS } from './metrics-windows.ts';

/** One plot: seconds since 1970 and, for each line, a value or nothing. */
export interface PlotSeries {
  readonly times: readonly number[];
  readonly lines: readonly (readonly (number | null)[])[];
}

export const PLOTS = ['requests', 'latency', 'instances', 'cpu', 'memory', 'coldStarts'] as const;

export type Plot = (typeof PLOTS)[number];

/** What each plot shows: where nothing was served a count is zero, and a latency is not there. */
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

/** The lines of a plot over its whole window; the steps that the answer leaves out are those in which nothing ran. */
export function plotSeries(plot: Plot, metrics: Metrics, window: MetricsWindow, nowMs: number): PlotSeries {
  const stepMs = metrics.step_seconds * 1000;
  const byTime = new Map(metrics.points.map((point) => [Math.floor(Date.parse(point.time) / stepMs), point]));
  const last = Math.floor(nowMs / stepMs);
  const first = last - Math.ceil(METRICS_WINDOW_MS[window] / stepMs) + 1;
  const steps = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  return {
    times: steps.map((step) => (step * stepMs) / 1000),
    lines: LINES[plot].map((read) => steps.map((step) => read(byTime.get(step) ?? NOTHING, metrics.step_seconds))),
  };
}
