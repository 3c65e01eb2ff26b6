import { expect, test } from 'vitest';
import { judge, type LoggedRequest } from './judge.ts';

const logged = (changes: Partial<LoggedRequest> = {}): LoggedRequest => ({
  trace: 't1',
  status: 502,
  instance: 'a',
  startedAtMs: 10_000,
  endedAtMs: 12_000,
  ...changes,
});
const failure = { trace: 't1', what: '502' };

test('a request in flight on an instance that was killed is excused', () => {
  expect(judge([failure], [logged()], new Map([['a', 12_000]]))).toEqual({ unexplained: [], explained: 1 });
  // A stream whose head was out has a good status, and broke all the same.
  expect(judge([failure], [logged({ status: 200 })], new Map([['a', 11_000]])).explained).toBe(1);
});

test.each([
  ['on another instance', [logged()], new Map([['b', 12_000]])],
  [
    'that no instance took',
    [{ ...logged(), instance: undefined } as unknown as LoggedRequest],
    new Map([['a', 12_000]]),
  ],
  ['that began after the kill', [logged({ startedAtMs: 20_000, endedAtMs: 20_100 })], new Map([['a', 12_000]])],
  ['that had ended before the kill', [logged()], new Map([['a', 30_000]])],
  ['that was not logged', [], new Map([['a', 12_000]])],
])('one %s is not', (_name, requests, crashes) => {
  expect(judge([failure], requests, crashes).unexplained).toHaveLength(1);
});

test('what the log has and no client saw counts too', () => {
  const requests = [
    logged({ status: 503 }),
    logged({ trace: 't2', status: 204 }),
    logged({ trace: 't3', status: 101 }),
  ];
  expect(judge([], requests, new Map()).unexplained).toEqual(['the log has a 503 that no client saw (trace t1)']);
});
