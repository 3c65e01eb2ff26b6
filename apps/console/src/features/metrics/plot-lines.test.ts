import type { Metrics, MetricsPoint } from '@berth/contract';
import { describe, expect, test } from 'vitest';
import { setupView } from '../../render-view.test-support.ts';
import { fillPoints, PLOTS, plotSeries } from './plot-series.ts';
import { RANGE_MAX_MS, RANGE_MIN_MS, spanBetween } from './plot-span.ts';
import { usePlotFormats } from './use-plot-formats.ts';

const MINUTE_MS = 60_000;
const point = (changes: Partial<MetricsPoint>) =>
  ({ ...fillPoints(metrics([]), hour())[0], ...changes }) as MetricsPoint;
const metrics = (points: readonly MetricsPoint[]) => ({ step_seconds: 60, points }) as Metrics;
const hour = (fromMs = 0) => ({ fromMs, toMs: fromMs + 60 * MINUTE_MS });

describe('the lines of a plot', () => {
  // Fails when what wasn't measured is drawn as zero, or a count as a gap.
  test('have gaps where nothing was measured', () => {
    const idle = point({});
    const last = (plot: (typeof PLOTS)[number], own: MetricsPoint) =>
      plotSeries(plot, [own], 60).lines.map(([value]) => value);
    expect(PLOTS.map((plot) => last(plot, idle))).toEqual([[0, 0], [null, null, null], [0], [0], [null, null], [0]]);
    const busy = point({ requests: 2, p50_ms: 0, cpu_seconds: 90, memory_bytes: 5, memory_max_bytes: 9 });
    expect([last('latency', busy)[0], last('cpu', busy), last('memory', busy)]).toEqual([0, [1.5], [5, 9]]);
  });

  // Fails when a range that begins between two steps has one step too many.
  test('have one value for each step of the range', () => {
    expect(fillPoints(metrics([]), hour())).toHaveLength(60);
    expect(fillPoints(metrics([]), hour(30_000))).toHaveLength(60);
    expect(fillPoints(metrics([]), { fromMs: 1_000, toMs: 2_000 })).toHaveLength(1);
    const times = fillPoints(metrics([point({ time: new Date(5 * MINUTE_MS).toISOString(), requests: 3 })]), hour());
    expect(times.findIndex(({ requests }) => requests === 3)).toBe(5);
  });
});

// Fails when a range that is too short or too long reaches the server, which refuses it.
test.each([
  [0, 1_000, RANGE_MIN_MS],
  [0, RANGE_MAX_MS * 3, RANGE_MAX_MS - 2 * MINUTE_MS],
])('a selection from %i to %i is within bounds', (fromMs, toMs, atLeastMs) => {
  const { from, to } = spanBetween(fromMs, toMs);
  const lengthMs = Date.parse(to) - Date.parse(from);
  expect(lengthMs).toBeGreaterThanOrEqual(atLeastMs);
  expect(lengthMs).toBeLessThanOrEqual(
    Math.max(RANGE_MIN_MS + 2 * MINUTE_MS, Math.min(atLeastMs + 2 * MINUTE_MS, RANGE_MAX_MS)),
  );
});

// Fails when a unit is lost, or a gap is written as zero.
test.each([
  ['requests', 12.34, '12.3'],
  ['latency', 3.456, '3.5 ms'],
  ['latency', 120.6, '121 ms'],
  ['cpu', 0.1234, '0.12'],
  ['memory', 2 ** 20, '1 MiB'],
  ['instances', null, '–'],
  ['memory', undefined, '–'],
] as const)('%s of %s reads %s', (plot, value, text) => {
  expect(setupView().call(usePlotFormats)(plot, value)).toBe(text);
});
