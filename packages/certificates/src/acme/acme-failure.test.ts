import { expect, test } from 'vitest';
import { describeProblem, parseRetryAfterMs, problemType } from './acme-failure.ts';

test.each([
  [undefined, 0],
  ['120', 120_000],
  [' 5 ', 5_000],
  ['0', 0],
  ['-5', 0],
  ['soon', 0],
  ['9'.repeat(30), 0],
  ['Thu, 01 Jan 2026 01:00:00 GMT', 3_600_000],
  ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
])('Retry-After %j', (header, expected) => {
  expect(parseRetryAfterMs(header, Date.UTC(2026, 0, 1))).toBe(expected);
});

test('a problem is described with its subproblems', () => {
  const problem = {
    type: 'urn:ietf:params:acme:error:malformed',
    detail: 'Some of the identifiers were rejected',
    subproblems: [{ type: 'urn:ietf:params:acme:error:dns', detail: 'no such host' }, null, 7],
  };
  expect(describeProblem(problem)).toBe('malformed: Some of the identifiers were rejected; dns: no such host');
  expect(problemType(problem)).toBe('malformed');
});

test.each([undefined, null, 'text', 7, [], {}, { type: 7, detail: {} }])('%j is no problem document', (body) => {
  expect([describeProblem(body), problemType(body)]).toEqual([undefined, '']);
});
