import { DEFAULT_POLICY } from '@berth/gateway/policy';
import { expect, test } from 'vitest';
import type { Arrival } from './create-arrivals.ts';
import type { ServiceProfile } from './draw-service.ts';
import { runService } from './run-service.ts';
import type { Scaler } from './scaler.ts';
import { createBerthScaler, createFixedScaler, createNaiveScaler } from './scalers.ts';
import { type Figures, Tally } from './tally.ts';

/** Starts take exactly a second, stops half a second, one request at a time. */
const profile: ServiceProfile = {
  concurrency: 1,
  maxInstances: 0,
  minInstances: 0,
  timeoutMs: 600_000,
  startMs: 1_000,
  startSpreadRatio: 0,
  startFailureRatio: 0,
  stopMs: 500,
};

function play(scaler: Scaler, arrivals: readonly Arrival[], changes: Partial<ServiceProfile> = {}): Figures {
  const tally = new Tally(10_000);
  runService({
    policy: DEFAULT_POLICY,
    profile: { ...profile, ...changes },
    scaler,
    tally,
    horizonMs: 10_000,
    arrivals: arrivals.values(),
    random: () => 0,
  });
  return tally.figures();
}

const request = (atMs: number, durationMs = 500): Arrival => ({ atMs, durationMs });
/** Two that overlap, and a third when all is quiet. */
const TRACE = [request(0), request(100), request(5_000)];
const NOTHING_REJECTED = { 429: 0, 503: 0, 504: 0 };

test('a trace worked out by hand: Berth', () => {
  // Each of the two starts an instance, at 0 s and 0.1 s, and waits for it: 1 s. Both stay until the end: 10 s + 9.9 s.
  expect(play(createBerthScaler(DEFAULT_POLICY), TRACE)).toEqual({
    requests: 3,
    granted: 3,
    instanceSeconds: 19.9,
    waitP50Ms: 1_000,
    waitP95Ms: 1_000,
    waitP99Ms: 1_000,
    waitMaxMs: 1_000,
    coldStarts: 2,
    rejected: NOTHING_REJECTED,
    maxInstances: 2,
  });
});

test('a trace worked out by hand: naive', () => {
  // Three instances, each for 1 s of start, 0.5 s of work and 0.5 s of stop.
  expect(play(createNaiveScaler(), TRACE)).toMatchObject({
    instanceSeconds: 6,
    waitP50Ms: 1_000,
    waitMaxMs: 1_000,
    coldStarts: 3,
    maxInstances: 2,
  });
});

test('a trace worked out by hand: fixed', () => {
  // 1 request a second at most, of 0.5 s each: a load of 0.5, so one instance. The second request waits for the first to end.
  const shape = { peakRatio: 1, segmentAt: () => ({ ratio: 1, untilMs: Number.POSITIVE_INFINITY }) };
  const scaler = createFixedScaler(profile, { requestsPerSecond: 1, meanDurationMs: 500, shape }, DEFAULT_POLICY);
  expect(play(scaler, TRACE)).toMatchObject({
    instanceSeconds: 10,
    waitP50Ms: 0,
    waitP95Ms: 400,
    waitMaxMs: 400,
    coldStarts: 0,
    maxInstances: 1,
  });
});

test('429 beyond the places of the queue, and at the maximum when the wait is over', () => {
  // One slot, held for a minute by the first: ten of the others may wait, and none of them gets a slot within 10 s.
  const arrivals = [request(0, 60_000), ...Array.from({ length: 14 }, (_, i) => request(2_000 + i, 10))];
  const figures = play(createBerthScaler(DEFAULT_POLICY), arrivals, { maxInstances: 1 });
  expect(figures).toMatchObject({ requests: 15, granted: 1, coldStarts: 1, rejected: { 429: 14, 503: 0, 504: 0 } });
});

test('503 when nothing starts, at growing intervals', () => {
  // Fails at 1 s; 0.5 s of backoff; fails at 2.5 s; 1 s; 4.5 s; 2 s; 7.5 s; 4 s; the request's 10 s end before the next.
  const figures = play(createBerthScaler(DEFAULT_POLICY), [request(0)], { startFailureRatio: 1 });
  expect(figures).toMatchObject({ coldStarts: 4, rejected: { 429: 0, 503: 1, 504: 0 }, instanceSeconds: 4 });
});

test('504 at the timeout, waiting or served', () => {
  const waiting = play(createBerthScaler(DEFAULT_POLICY), [request(0)], { timeoutMs: 900 });
  expect(waiting).toMatchObject({ rejected: { ...NOTHING_REJECTED, 504: 1 }, waitMaxMs: 0 });
  const served = play(createBerthScaler(DEFAULT_POLICY), [request(0, 3_000)], { timeoutMs: 2_000 });
  expect(served).toMatchObject({ rejected: { ...NOTHING_REJECTED, 504: 1 }, waitMaxMs: 1_000 });
});
