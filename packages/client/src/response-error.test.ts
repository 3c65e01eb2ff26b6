import { ERRORS } from '@berth/contract';
import { expect, test } from 'vitest';
import { CLIENT_ERRORS } from './client-error.ts';
import { responseError } from './response-error.ts';

const answer = (status: number, headers: Record<string, string> = {}) => ({ status, headers: new Headers(headers) });

test('the table of codes is the contract’s', () => {
  for (const [code, meaning] of Object.entries(CLIENT_ERRORS)) {
    expect({ code, ...meaning }).toEqual({
      code,
      status: ERRORS[code as keyof typeof ERRORS].status,
      isRetryable: ERRORS[code as keyof typeof ERRORS].isRetryable,
    });
  }
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
