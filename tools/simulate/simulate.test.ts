import { DEFAULT_POLICY } from '@berth/gateway/policy';
import { expect, test } from 'vitest';
import { simulate } from './simulate.ts';
import { TRACE_NAMES } from './trace-shape.ts';

test.each(TRACE_NAMES)('the same seed gives the same figures, another one others: %s', (trace) => {
  const options = { services: 12, trace, seconds: 60, seed: 7, minInstances: 0, policy: DEFAULT_POLICY };
  const first = simulate(options);
  expect(simulate(options)).toEqual(first);
  expect(simulate({ ...options, seed: 8, policy: DEFAULT_POLICY })).not.toEqual(first);
});

test('every policy is given the same requests', () => {
  const { berth, fixed, naive } = simulate({
    services: 20,
    trace: 'flap',
    seconds: 240,
    seed: 1,
    minInstances: 0,
    policy: DEFAULT_POLICY,
  });
  expect(berth.requests).toBeGreaterThan(10_000);
  expect([fixed.requests, naive.requests]).toEqual([berth.requests, berth.requests]);
});

test('a fixed number of instances starts none and is paid for all of the time', () => {
  const { fixed } = simulate({
    services: 10,
    trace: 'diurnal',
    seconds: 100,
    seed: 3,
    minInstances: 0,
    policy: DEFAULT_POLICY,
  });
  expect(fixed.coldStarts).toBe(0);
  expect(fixed.instanceSeconds).toBe(fixed.maxInstances * 100);
});

test('another policy changes the figures of Berth only', () => {
  const options = {
    services: 20,
    trace: 'flap',
    seconds: 240,
    seed: 2,
    minInstances: 0,
    policy: DEFAULT_POLICY,
  } as const;
  const usual = simulate(options);
  const eager = simulate({ ...options, policy: { ...DEFAULT_POLICY, idleTimeoutMs: 20_000 } });
  expect(eager.berth.instanceSeconds).toBeLessThan(usual.berth.instanceSeconds);
  expect(eager.berth.waitP99Ms).toBeGreaterThan(usual.berth.waitP99Ms);
  expect(eager.fixed).toEqual(usual.fixed);
  expect(eager.naive).toEqual(usual.naive);
});

// Fails when the simulated service doesn't start its min_instances before the first request.
test('min_instances spare the first requests their wait, under Berth alone', () => {
  const options = {
    services: 20,
    trace: 'flap',
    seconds: 240,
    seed: 2,
    minInstances: 0,
    policy: DEFAULT_POLICY,
  } as const;
  const usual = simulate(options);
  const warm = simulate({ ...options, minInstances: 2 });
  expect(warm.berth.waitP99Ms).toBeLessThan(usual.berth.waitP99Ms);
  expect([warm.fixed, warm.naive]).toEqual([usual.fixed, usual.naive]);
});
