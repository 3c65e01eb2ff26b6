import { expect, test } from 'vitest';
import { deadlineRefusal, queueFullRefusal, type RefusalObservation } from './refusal.ts';

const seen: RefusalObservation = {
  deployment: 'hello',
  nowMs: 10_000,
  timeoutAtMs: 60_000,
  timeoutMs: 60_000,
  meanStartMs: 2_500,
  ready: 0,
  instances: 0,
  maxInstances: 0,
  nextStartAtMs: 0,
};

test('a full queue is 429 and says when to come back', () => {
  expect(queueFullRefusal('hello', 2_500)).toMatchObject({ status: 429, reason: 'queue_full', retryAfterSeconds: 3 });
});

test('the timeout of the service comes first: 504', () => {
  const refusal = deadlineRefusal({ ...seen, nowMs: 60_000, startFailure: { code: 'start_failed', message: 'x' } });
  expect(refusal).toMatchObject({ status: 504, reason: 'request_timeout' });
  expect(refusal.message).toContain('60 s');
});

test('a failed start is 503 with its reason, and where to look', () => {
  const startFailure = { code: 'start_failed', message: 'The service exited with code 1.' };
  const refusal = deadlineRefusal({ ...seen, startFailure, nextStartAtMs: 14_200 });
  expect(refusal).toMatchObject({ status: 503, reason: 'start_failed', retryAfterSeconds: 5 });
  expect(refusal.message).toBe('"hello" could not be started. The service exited with code 1. See `berth logs hello`.');
});

test('a past failure does not matter while instances are ready', () => {
  const startFailure = { code: 'start_failed', message: 'x' };
  expect(deadlineRefusal({ ...seen, startFailure, ready: 2, instances: 2 })).toMatchObject({
    status: 429,
    reason: 'at_max_instances',
  });
});

test('at the maximum it is 429, otherwise the start goes on: 503', () => {
  expect(deadlineRefusal({ ...seen, instances: 1, maxInstances: 1 })).toMatchObject({ status: 429 });
  expect(deadlineRefusal({ ...seen, instances: 1 })).toMatchObject({ status: 503, reason: 'starting' });
});
