import { expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../port/gateway-policy.ts';
import { StartHistory } from './start-history.ts';

const failure = { code: 'start_failed', message: 'no' };

test('the mean is of the last ten starts, a second before the first', () => {
  const history = new StartHistory(DEFAULT_POLICY);
  expect(history.meanMs).toBe(1_000);
  history.recordReady(50_000, 0);
  for (let i = 0; i < 10; i++) history.recordReady(200, 0);
  expect(history.meanMs).toBe(200);
});

test('failures in a row double the wait up to a minute', () => {
  const history = new StartHistory(DEFAULT_POLICY);
  const waits: number[] = [];
  for (let nowMs = 0, i = 0; i < 9; i++, nowMs += 100_000) {
    history.recordFailure(failure, nowMs, nowMs);
    waits.push(history.nextStartAtMs - nowMs);
  }
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
});

test('of several that started together only one lengthens the wait', () => {
  const history = new StartHistory(DEFAULT_POLICY);
  history.recordFailure(failure, 0, 100);
  history.recordFailure(failure, 50, 110);
  expect(history.failures).toBe(1);
});

test('a start that held for a while ends the streak; one that crashed at once does not', () => {
  const history = new StartHistory(DEFAULT_POLICY);
  history.recordFailure(failure, 0, 0);
  history.recordReady(100, 1_000);
  expect(history.failure).toBeUndefined();
  history.recordFailure(failure, 1_000, 2_000);
  expect(history.failures).toBe(2);
  history.recordReady(100, 3_000);
  history.recordFailure(failure, 3_000, 3_000 + DEFAULT_POLICY.stableAfterMs);
  expect(history.failures).toBe(1);
});
