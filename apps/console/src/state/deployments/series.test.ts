import { METRICS_WINDOWS, type MetricsPoint } from '@berth/contract';
import { expect, test } from 'vitest';
import { METRICS_WINDOW_MS } from './metrics-windows.ts';
import { nextRuns } from './next-runs.ts';
import { plotSeries } from './plot-series.ts';

test('the windows are those of the contract', () => {
  expect(METRICS_WINDOW_MS).toEqual(METRICS_WINDOWS);
});

test('a plot has a value for each step, and a gap where there is none', () => {
  const nowMs = Date.parse('2026-01-01T01:00:30Z');
  const point = { time: '2026-01-01T00:59:00.000Z', requests: 4, errors: 1, p50_ms: 5, p95_ms: 9, p99_ms: 10 };
  const metrics = { step_seconds: 60, points: [{ ...point, cpu_seconds: 30, memory_bytes: 7 } as MetricsPoint] };
  const requests = plotSeries('requests', metrics, '15m', nowMs);
  expect(requests.times).toHaveLength(15);
  expect(requests.times.at(-1)).toBe(Date.parse('2026-01-01T01:00:00Z') / 1000);
  expect(requests.lines.map((line) => line.slice(-3))).toEqual([
    [0, 4, 0],
    [0, 1, 0],
  ]);
  expect(plotSeries('latency', metrics, '15m', nowMs).lines[1]?.slice(-3)).toEqual([null, 9, null]);
  expect(plotSeries('cpu', metrics, '15m', nowMs).lines[0]?.slice(-2)).toEqual([0.5, 0]);
});

test('the next runs are told by the clocks of the schedule’s zone', () => {
  const nowMs = Date.parse('2026-11-21T23:30:00Z');
  const show = (cron: string, zone: string) =>
    nextRuns(cron, zone, nowMs, 3).map((wallMs) => new Date(wallMs).toISOString().slice(0, 16));
  expect(show('0 0 * * *', 'UTC')).toEqual(['2026-11-22T00:00', '2026-11-23T00:00', '2026-11-24T00:00']);
  // It is 00:30 of the 22nd there.
  expect(show('0 0 * * *', 'Europe/Berlin')[0]).toBe('2026-11-23T00:00');
  expect(show('0 0 * * ', 'UTC')).toEqual([]);
  expect(show('0 0 * * *', 'Nowhere')).toEqual([]);
});
