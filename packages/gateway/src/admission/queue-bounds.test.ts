import { expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../port/gateway-policy.ts';
import { queueDeadlineMs, queuePlaces } from './queue-bounds.ts';

test('ten places a slot, for one instance at least, ten thousand at most', () => {
  expect(queuePlaces(80, 0, DEFAULT_POLICY)).toBe(800);
  expect(queuePlaces(80, 3, DEFAULT_POLICY)).toBe(2_400);
  expect(queuePlaces(1, 1, DEFAULT_POLICY)).toBe(10);
  expect(queuePlaces(1_000, 5, DEFAULT_POLICY)).toBe(10_000);
});

const deadline = (meanStartMs: number, coldStartAgeMs = 0, timeoutMs = 600_000) =>
  queueDeadlineMs({ arrivedAtMs: 1_000, timeoutAtMs: 1_000 + timeoutMs, meanStartMs, coldStartAgeMs }, DEFAULT_POLICY);

test('waits 10 s, or 3.5 mean starts when that is more', () => {
  expect(deadline(1_000)).toBe(11_000);
  expect(deadline(4_000)).toBe(15_000);
});

test('never waits past the timeout of the service', () => {
  expect(deadline(1_000, 0, 2_000)).toBe(3_000);
});

test('a cold start that takes longer than the mean moves the deadline', () => {
  expect(deadline(1_000, 10_000)).toBe(36_000);
});
