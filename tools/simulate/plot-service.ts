import { DEFAULT_POLICY } from '@berth/gateway/policy';
import { createArrivals } from './create-arrivals.ts';
import { createRandom } from './create-random.ts';
import { runService } from './run-service.ts';
import { createBerthScaler } from './scalers.ts';
import { Tally } from './tally.ts';
import type { TraceShape } from './trace-shape.ts';

/** What one service had at a second of the run. */
export interface Sample {
  /** Requests in flight and waiting, the highest of that second. */
  readonly requests: number;
  /** Instances that start, serve or stop, the highest of that second. */
  readonly instances: number;
}

const SECONDS = 480;
/** Shorter than the default, so that the stop at the end is in the picture. */
const IDLE_TIMEOUT_MS = 60_000;
const PROFILE = {
  concurrency: 10,
  maxInstances: 0,
  minInstances: 0,
  timeoutMs: 600_000,
  startMs: 2_000,
  startSpreadRatio: 0.2,
  startFailureRatio: 0,
  stopMs: 100,
};

/** Nothing, a steady load, ten times as much for a minute, the steady load again, nothing. */
const SHAPE: TraceShape = {
  peakRatio: 10,
  segmentAt(nowMs) {
    const steps = [
      { ratio: 0, untilMs: 30_000 },
      { ratio: 1, untilMs: 120_000 },
      { ratio: 10, untilMs: 180_000 },
      { ratio: 1, untilMs: 330_000 },
      { ratio: 0, untilMs: Number.POSITIVE_INFINITY },
    ];
    return steps.find(({ untilMs }) => nowMs < untilMs) ?? { ratio: 0, untilMs: Number.POSITIVE_INFINITY };
  },
};

/** Runs one service under Berth's policy and returns a sample for each second. The same seed gives the same samples. */
export function sampleService(seed: number): Sample[] {
  const horizonMs = SECONDS * 1_000;
  const policy = { ...DEFAULT_POLICY, idleTimeoutMs: IDLE_TIMEOUT_MS };
  const samples: Sample[] = [];
  let last: Sample = { requests: 0, instances: 0 };
  runService({
    policy,
    profile: PROFILE,
    scaler: createBerthScaler(policy),
    tally: new Tally(horizonMs),
    horizonMs,
    untilSilence: true,
    arrivals: createArrivals(
      { requestsPerSecond: 8, meanDurationMs: 500, shape: SHAPE },
      horizonMs,
      createRandom(seed, 1, 2),
    ),
    random: createRandom(seed, 1, 3),
    onEvent(service, nowMs) {
      const second = Math.floor(nowMs / 1_000);
      // Between two events nothing changes.
      while (samples.length < Math.min(second, SECONDS)) samples.push(last);
      last = { requests: service.inFlight + service.waiting, instances: service.fleet.size };
      const seen = samples[second];
      if (second >= SECONDS) return;
      samples[second] = {
        requests: Math.max(seen?.requests ?? 0, last.requests),
        instances: Math.max(seen?.instances ?? 0, last.instances),
      };
    },
  });
  while (samples.length < SECONDS) samples.push(last);
  return samples;
}

const WIDTH = 760;
const PANEL = 130;
const LEFT = 46;
const RIGHT = 26;
const TOP = 34;

/** Draws samples as an SVG picture: requests above, instances below, one time axis. */
export function renderPlot(samples: readonly Sample[]): string {
  const x = (second: number) => LEFT + ((WIDTH - LEFT - RIGHT) * second) / samples.length;
  const panel = (index: number, title: string, color: string, read: (sample: Sample) => number) => {
    const values = samples.map(read);
    const step = roundStep(Math.max(...values, 1) / 4);
    const bottom = TOP + index * (PANEL + 44) + PANEL;
    const y = (value: number) => (bottom - (PANEL * value) / (4 * step)).toFixed(1);
    const line = values
      .map((value, second) => `L${x(second).toFixed(1)} ${y(value)}H${x(second + 1).toFixed(1)}`)
      .join('');
    const ticks = [0, 1, 2, 3, 4].map(
      (tick) =>
        `<path d="M${LEFT} ${y(tick * step)}H${WIDTH - RIGHT}" stroke="#d9dce1"/><text x="${LEFT - 8}" y="${Number(y(tick * step)) + 4}" text-anchor="end">${tick * step}</text>`,
    );
    const path = `M${LEFT} ${bottom}${line}V${bottom}Z`;
    return `<text x="${LEFT}" y="${bottom - PANEL - 12}" font-weight="600" fill="#1c2330">${title}</text>${ticks.join('')}<path d="${path}" fill="${color}" fill-opacity=".25" stroke="${color}"/>`;
  };
  const height = TOP + 2 * (PANEL + 44);
  const minutes = Array.from({ length: Math.floor(samples.length / 60) + 1 }, (_, minute) => minute);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#4a5361" role="img">`,
    '<title>Requests and instances of one service over eight minutes</title>',
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    panel(0, 'Requests in flight and waiting', '#2f6fde', ({ requests }) => requests),
    panel(1, 'Instances (concurrency 10)', '#c2570c', ({ instances }) => instances),
    ...minutes.map(
      (minute) => `<text x="${x(minute * 60).toFixed(1)}" y="${height - 22}" text-anchor="middle">${minute} min</text>`,
    ),
    '</svg>\n',
  ].join('\n');
}

/** The smallest of 1, 2, 5, 10, 20, 50 … that is at least `value`. */
function roundStep(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5].find((digit) => digit * power >= value) ?? 10) * power;
}
