import { createError } from '@berth/contract/errors';
import { expect, test } from 'vitest';
import { connectionError, isConnectionError } from './connection-error.ts';

const withCode = (code: string, cause?: unknown) => Object.assign(new Error(`message of ${code}`, { cause }), { code });
const URL_OF_SERVER = 'https://b.test';

// Fails when only the outermost error is looked at: `fetch` says "fetch failed" of everything.
test.each([
  ['its own', withCode('ECONNREFUSED'), 'ECONNREFUSED', 'nothing is listening there'],
  [
    'that of its cause',
    new TypeError('fetch failed', { cause: withCode('ENOTFOUND') }),
    'ENOTFOUND',
    'the host name is unknown',
  ],
  [
    'that of the first of several addresses',
    new TypeError('fetch failed', { cause: new AggregateError([new Error('x'), withCode('EHOSTUNREACH')]) }),
    'EHOSTUNREACH',
    'the host is unreachable',
  ],
  ['that of a limit', new DOMException('too late', 'TimeoutError'), 'TimeoutError', 'the request timed out'],
])('the reason is %s', (_what, error, network, words) => {
  const failure = connectionError(error, URL_OF_SERVER);
  expect(failure).toMatchObject({
    ...{ code: 'unavailable', isRetryable: true, message: `Can't reach ${URL_OF_SERVER}: ${words}.` },
    details: { network, address: URL_OF_SERVER },
  });
  expect([isConnectionError(failure), failure.cause]).toEqual([true, error]);
});

test('a failure without a name is told in the words of what lies deepest', () => {
  const error = new TypeError('fetch failed', { cause: withCode('EODD', new Error('the modem is on fire')) });
  expect(connectionError(error, URL_OF_SERVER).message).toBe(`Can't reach ${URL_OF_SERVER}: the modem is on fire.`);
  expect(connectionError('text', URL_OF_SERVER)).toMatchObject({ details: { network: 'unknown' } });
});

test('an answer of the server is no connection error, and stays as it is', () => {
  const busy = createError('unavailable', 'Busy.');
  expect(connectionError(busy, URL_OF_SERVER)).toBe(busy);
  // Fails when the code alone is looked at: a deploy that is refused with 503 would be taken for one that broke off.
  expect(isConnectionError(busy)).toBe(false);
});
