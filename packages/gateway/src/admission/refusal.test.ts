import { expect, test } from 'vitest';
import {
  closingRefusal,
  codingRefusal,
  deadlineRefusal,
  deletedRefusal,
  queueFullRefusal,
  type RefusalObservation,
  timeoutRefusal,
  unknownRefusal,
  upgradeBodyRefusal,
  upstreamRefusal,
} from './refusal.ts';

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

// Fails when a status, a reason, a sentence or a Retry-After changes: clients and docs rely on them.
test('each refusal says what happened, and what to do next', () => {
  expect(queueFullRefusal('hello', 0)).toEqual({
    status: 429,
    reason: 'queue_full',
    message:
      'Too many requests are queued for "hello". Try again shortly, or deploy it with more max_instances or concurrency.',
    retryAfterSeconds: 1,
  });
  expect(timeoutRefusal('hello', 1_500)).toEqual({
    status: 504,
    reason: 'request_timeout',
    message:
      '"hello" did not answer within its timeout of 1.5 s. See `berth logs hello`, or deploy it with a longer timeout.',
    retryAfterSeconds: 1,
  });
  expect(deadlineRefusal({ ...seen, ready: 1, instances: 1 })).toEqual({
    status: 429,
    reason: 'at_max_instances',
    message: 'Every instance of "hello" is busy and it is at this machine\'s capacity. Try again shortly.',
    retryAfterSeconds: 3,
  });
  expect(deadlineRefusal({ ...seen, instances: 2, maxInstances: 2 }).message).toBe(
    'Every instance of "hello" is busy and it is at its max_instances (2). Try again shortly.',
  );
  expect(deadlineRefusal({ ...seen, instances: 1, maxInstances: 2 })).toEqual({
    status: 503,
    reason: 'starting',
    message: '"hello" is still starting. Try again shortly; see `berth logs hello`.',
    retryAfterSeconds: 3,
  });
  const startFailure = { code: 'out_of_capacity', message: 'No memory.' };
  expect(deadlineRefusal({ ...seen, startFailure }).message).toBe('"hello" could not be started. No memory.');
  expect(unknownRefusal('hello')).toEqual({
    status: 404,
    reason: 'unknown_deployment',
    message: 'No deployment "hello" exists. See `berth ls` for existing ones.',
  });
  expect(codingRefusal('gzip')).toEqual({
    status: 501,
    reason: 'transfer_coding',
    message: 'The transfer coding "gzip" is not supported; send the body chunked or with its length.',
  });
  expect(upgradeBodyRefusal()).toEqual({
    status: 501,
    reason: 'upgrade_with_body',
    message: "An upgrade request can't have a body.",
  });
  expect(deletedRefusal('hello')).toEqual({
    status: 503,
    reason: 'deleted',
    message: '"hello" was deleted.',
    retryAfterSeconds: 60,
  });
  expect(closingRefusal()).toEqual({
    status: 503,
    reason: 'shutting_down',
    message: 'The platform is shutting down. Try again shortly.',
    retryAfterSeconds: 5,
  });
});

test.each([
  ['connect', 'refused the connection'],
  ['refused', 'refused the request'],
  ['reset', 'closed the connection without a response; it may have crashed'],
  ['truncated', 'closed the connection during its response'],
  ['protocol', 'returned an invalid HTTP response'],
] as const)('502 says that an instance %s: %s', (kind, cause) => {
  expect(upstreamRefusal(kind, 'hello')).toEqual({
    status: 502,
    reason: `upstream_${kind}`,
    message: `"hello" ${cause}. See \`berth logs hello\`.`,
  });
});
