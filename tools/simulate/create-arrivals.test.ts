import { expect, test } from 'vitest';
import { createArrivals } from './create-arrivals.ts';
import { createRandom } from './create-random.ts';
import { createTraceShape, TRACE_NAMES, type TraceName } from './trace-shape.ts';

const HORIZON_MS = 1_200_000;

function arrivals(name: TraceName, seed = 1) {
  const shape = createTraceShape(name, HORIZON_MS, createRandom(seed));
  const traffic = { requestsPerSecond: 20, meanDurationMs: 100, shape };
  return { shape, all: [...createArrivals(traffic, HORIZON_MS, createRandom(seed, 2))] };
}

test.each([
  ['constant', 24_000],
  ['diurnal', 24_000],
  ['flap', 24_000],
  // The mean, and 19 times as much more for a minute.
  ['spike', 24_000 + 19 * 1_200],
] as const)('%s: about as many as the rate says, in order, within the horizon', (name, expected) => {
  const { all } = arrivals(name);
  expect(Math.abs(all.length - expected)).toBeLessThan(5 * Math.sqrt(expected));
  for (const [index, { atMs, durationMs }] of all.entries()) {
    if (atMs < (all[index - 1]?.atMs ?? 0) || atMs >= HORIZON_MS || durationMs < 1) expect.fail(`arrival ${index}`);
  }
});

test('flap: none in the pauses', () => {
  const { all } = arrivals('flap');
  const pauses = all.filter(({ atMs }, index) => atMs - (all[index - 1]?.atMs ?? 0) > 85_000);
  expect(pauses.length).toBeGreaterThanOrEqual(9);
});

test.each(TRACE_NAMES)('%s: segments follow each other, none above the peak', (name) => {
  for (let seed = 0; seed < 20; seed++) {
    const { shape } = arrivals(name, seed);
    for (let nowMs = 0; nowMs < HORIZON_MS; ) {
      const { ratio, untilMs } = shape.segmentAt(nowMs);
      if (untilMs <= nowMs || ratio < 0 || ratio > shape.peakRatio)
        expect.fail(`at ${nowMs}: ${ratio} until ${untilMs}`);
      nowMs = untilMs;
    }
  }
});
