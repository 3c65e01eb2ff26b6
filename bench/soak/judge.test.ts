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

const crashes = (killedAtMs: number, instance = 'a', recordedAtMs = killedAtMs + 200) => ({
  killedAtMs: [killedAtMs],
  recordedAtMs: new Map([[instance, recordedAtMs]]),
});

test('a request in flight on an instance that was killed is excused', () => {
  expect(judge([failure], [logged()], crashes(12_000))).toEqual({ unexplained: [], explained: 1 });
  // A stream whose head was out has a good status, and broke all the same.
  expect(judge([failure], [logged({ status: 200 })], crashes(11_000)).explained).toBe(1);
  // On a busy machine the record comes late.
  expect(judge([failure], [logged()], crashes(12_000, 'a', 17_000)).explained).toBe(1);
});

test.each([
  ['on another instance', [logged()], crashes(12_000, 'b')],
  ['that no instance took', [{ ...logged(), instance: undefined } as unknown as LoggedRequest], crashes(12_000)],
  ['that began after the kill', [logged({ startedAtMs: 20_000, endedAtMs: 20_100 })], crashes(12_000)],
  ['that had ended before the kill', [logged()], crashes(30_000)],
  ['on an instance that crashed unkilled', [logged()], { ...crashes(12_000), killedAtMs: [] }],
  ['on an instance that crashed long after the kill', [logged()], crashes(12_000, 'a', 40_000)],
  ['that was not logged', [], crashes(12_000)],
])('one %s is not', (_name, requests, happened) => {
  expect(judge([failure], requests, happened).unexplained).toHaveLength(1);
});

test('what the log has and no client saw counts too', () => {
  const requests = [
    logged({ status: 503 }),
    logged({ trace: 't2', status: 204 }),
    logged({ trace: 't3', status: 101 }),
  ];
  expect(judge([], requests, { killedAtMs: [], recordedAtMs: new Map() }).unexplained).toEqual([
    'the log has a 503 that no client saw (trace t1)',
  ]);
});
