import { BerthError } from '@berth/kit';
import { describe, expect, test } from 'vitest';
import { createXhrStorage } from './storage-request.ts';

/** Returns the error of an answer with a status and a body. */
async function errorOf(status: number, body = ''): Promise<BerthError> {
  const request = { upload: {}, status, responseText: body, open() {}, setRequestHeader() {}, abort() {} };
  const send = createXhrStorage(
    () =>
      ({
        ...request,
        send() {
          (this as unknown as { onloadend(): void }).onloadend();
        },
      }) as unknown as XMLHttpRequest,
  );
  const call = send({ method: 'PUT', url: 'https://s/x', signal: new AbortController().signal });
  return call.then(
    () => expect.unreachable(),
    (error: unknown) => {
      if (!BerthError.is(error)) throw error;
      return error;
    },
  );
}

describe('an error of the storage', () => {
  // Fails when a full volume is tried again for half a minute, or a restart of the storage isn't.
  test.each([
    [0, 'unavailable', true],
    [408, 'unavailable', true],
    [429, 'unavailable', true],
    [500, 'unavailable', true],
    [503, 'unavailable', true],
    [507, 'insufficient_storage', false],
    [403, 'forbidden', false],
    [404, 'not_found', false],
    [410, 'not_found', false],
    [409, 'conflict', false],
    [412, 'precondition_failed', false],
    [400, 'bad_request', false],
  ])('%i is %s, tried again: %s', async (status, code, isRetryable) => {
    expect(await errorOf(status)).toMatchObject({ code, isRetryable, status: status === 0 ? 503 : status });
  });

  // Fails when the storage's own sentence isn't shown, or a page of markup is.
  test.each([
    [507, '{"detail":"The volume is full."}', 'The volume is full.'],
    [507, '{"detail":7}', '{"detail":7}'],
    [403, ' The link has expired. \n', 'The link has expired.'],
    [403, '', 'The storage answered 403.'],
    [0, '', 'The connection to the storage broke off.'],
  ])('%i with %j says %j', async (status, body, message) => {
    expect((await errorOf(status, body)).message).toBe(message);
  });

  test('is at most five hundred characters', async () => {
    expect((await errorOf(500, 'x'.repeat(9_000))).message).toHaveLength(500);
    expect((await errorOf(500, JSON.stringify({ detail: 'x'.repeat(9_000) }))).message).toHaveLength(500);
  });
});
