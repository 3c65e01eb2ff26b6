import { expect, test } from 'vitest';
import { responseError } from './response-error.ts';

const answer = (status: number, headers: Record<string, string> = {}) => ({ status, headers: new Headers(headers) });

// Fails when the code is looked up among all of the contract's: 405, 412 and 507 then have codes that programs don't expect.
test.each([
  [400, 'bad_request', false],
  [401, 'unauthenticated', false],
  [404, 'not_found', false],
  [405, 'bad_request', false],
  [409, 'conflict', false],
  [410, 'not_found', false],
  [412, 'bad_request', false],
  [422, 'invalid', false],
  [429, 'too_many_requests', true],
  [500, 'internal', true],
  [501, 'not_available', false],
  [503, 'unavailable', true],
  [504, 'unavailable', true],
  [507, 'internal', true],
])('%i is %s', (status, code, isRetryable) => {
  expect(responseError(answer(status), '{"detail":"No."}', 'http://b/v1/x')).toMatchObject({
    code,
    status,
    isRetryable,
  });
});

test('a sentence of the server is the message', () => {
  const error = responseError(answer(403, { 'x-request-id': 'req_7' }), '{"detail":"Not yours."}', 'http://b/v1/x');
  expect(error).toMatchObject({
    code: 'forbidden',
    status: 403,
    message: 'Not yours.',
    details: { requestId: 'req_7' },
  });
});

test('wrong fields are listed, one a line, and kept as data', () => {
  const issues = [
    { loc: ['body', 'port'], msg: 'must be ≤ 65535', type: 'too_big' },
    { loc: ['body', 'volumes', '/data'], msg: 'name is required', type: 'missing' },
  ];
  const error = responseError(answer(422), JSON.stringify({ detail: issues }), 'http://b/v1/deploy');
  expect(error.message).toBe('port: must be ≤ 65535\nvolumes./data: name is required');
  expect(error.code).toBe('invalid');
  expect(error.details['issues']).toEqual(issues);
});

test('what no Berth server says is told as such', () => {
  expect(responseError(answer(404), '<h1>Not found</h1>', 'http://b/v1/x').message).toMatch(
    /http:\/\/b\/v1\/x.*404.*Berth/,
  );
  expect(responseError(answer(301, { location: 'https://c/' }), '', 'http://b/v1/x').message).toMatch(/https:\/\/c\//);
  expect(responseError(answer(502), '', 'http://b').code).toBe('unavailable');
  expect(responseError(answer(418), '', 'http://b')).toMatchObject({ code: 'bad_request', status: 418 });
});

test('Retry-After is read as seconds and as a date', () => {
  const wait = (value: string) =>
    responseError(answer(503, { 'retry-after': value }), '{}', 'http://b').details['retryAfterMs'];
  expect(wait('3')).toBe(3_000);
  expect(wait(new Date(Date.now() + 60_000).toUTCString())).toBeGreaterThan(50_000);
  expect(wait('soon')).toBeUndefined();
});
