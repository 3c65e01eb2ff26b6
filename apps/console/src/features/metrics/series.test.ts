import { METRICS_WINDOWS as CONTRACT_WINDOWS, METRICS_RANGE_MAX_MS, type MetricsPoint } from '@berth/contract';
import { expect, test } from 'vitest';
import { SPANS } from '../../components/time-range/time-range.ts';
import { readDeploymentSearch } from '../deployments/deployment-tabs.ts';
import { meanColdStart } from './cold-start-parts.ts';
import { fillPoints, plotSeries } from './plot-series.ts';
import { METRICS_WINDOWS, moveRange, RANGE_MAX_MS, rangeOf, spanBetween, toQuery } from './plot-span.ts';

test('the windows equal those of the contract', () => {
  expect(Object.fromEntries(METRICS_WINDOWS.map((window) => [window, SPANS[window]]))).toEqual(CONTRACT_WINDOWS);
  expect(RANGE_MAX_MS).toBe(METRICS_RANGE_MAX_MS);
});

test('a plot has a value or a gap for each step', () => {
  const point = { time: '2026-01-01T00:59:00.000Z', requests: 4, errors: 1, p50_ms: 5, p95_ms: 9, p99_ms: 10 };
  const metrics = { step_seconds: 60, points: [{ ...point, cpu_seconds: 30, memory_bytes: 7 } as MetricsPoint] };
  const points = fillPoints(metrics, rangeOf({ window: '15m' }, Date.parse('2026-01-01T01:00:30Z')));
  const requests = plotSeries('requests', points, 60);
  expect(requests.times).toHaveLength(15);
  expect(requests.times.at(-1)).toBe(Date.parse('2026-01-01T01:00:00Z') / 1000);
  expect(requests.lines.map((line) => line.slice(-3))).toEqual([
    [0, 4, 0],
    [0, 1, 0],
  ]);
  expect(plotSeries('latency', points, 60).lines[1]?.slice(-3)).toEqual([null, 9, null]);
  expect(plotSeries('cpu', points, 60).lines[0]?.slice(-2)).toEqual([0.5, 0]);
  const hour = { from: '2026-01-01T00:00:00Z', to: '2026-01-01T01:00:00Z' };
  expect(fillPoints(metrics, rangeOf(hour, 0)).map(({ time }) => time.slice(11, 16))).toEqual(
    Array.from({ length: 60 }, (_, minute) => `00:${String(minute).padStart(2, '0')}`),
  );
});

test('reads a time span from an address and drops invalid times', () => {
  const range = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };
  expect(readDeploymentSearch({ ...range, window: '7d', tab: 'settings' })).toEqual({ ...range, tab: 'settings' });
  expect(readDeploymentSearch({ from: range.to, to: range.from, window: '7d', deploy: 'dpl_1' })).toEqual({
    window: '7d',
    deploy: 'dpl_1',
  });
  expect(readDeploymentSearch({ from: 'x', window: '1h', tab: 'overview', deploy: '../x' })).toEqual({});
  expect([toQuery(range), toQuery({ window: '6h' }), toQuery({})]).toEqual([range, { window: '6h' }, { window: '1h' }]);
});

test('shifts and scales a range within its limits', () => {
  const nowMs = Date.parse('2026-01-01T12:00:00Z');
  const range = rangeOf({ window: '1h' }, nowMs);
  expect(moveRange(range, nowMs, -0.5)).toEqual({ from: '2026-01-01T10:30:00Z', to: '2026-01-01T11:30:00Z' });
  expect(moveRange(range, nowMs, 0.5)).toEqual({ from: '2026-01-01T11:00:00Z', to: '2026-01-01T12:00:00Z' });
  expect(moveRange(range, nowMs, 0, 2)).toEqual({ from: '2026-01-01T10:00:00Z', to: '2026-01-01T12:00:00Z' });
  const wide = moveRange({ fromMs: 0, toMs: nowMs }, nowMs, 0, 2);
  expect(Date.parse(wide.to ?? '') - Date.parse(wide.from ?? '')).toBeLessThanOrEqual(METRICS_RANGE_MAX_MS);
  // A selection of a few seconds, dragged from right to left.
  expect(spanBetween(nowMs + 4_000, nowMs)).toEqual({ from: '2026-01-01T11:57:00Z', to: '2026-01-01T12:03:00Z' });
});

test('averages the phases over all cold starts, not over the points', () => {
  const parts = { queued: 0, scheduled: 1, spawned: 9, port_open: 80, first_byte: 10 };
  const points = [
    { cold_starts: 3, cold_start_ms: parts },
    { cold_starts: 0, cold_start_ms: null },
    { cold_starts: 1, cold_start_ms: { ...parts, port_open: 480 } },
  ] as MetricsPoint[];
  expect(meanColdStart(points)).toEqual({ count: 4, totalMs: 200, parts: { ...parts, port_open: 180 } });
  expect(meanColdStart(points.slice(1, 2))).toBeUndefined();
});
