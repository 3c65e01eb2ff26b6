import { createError } from '@berth/contract';
import { expect, test } from 'vitest';
import { translateStartError } from './translate-start-error.ts';

const response = (statusCode: number, message: string) =>
  Object.assign(new Error(message), { statusCode, json: { message } });

// Fails when NO_ROOM or NOT_EXECUTED lacks its words, or the missing image isn't told from other 404s.
test.each([
  [404, 'No such image: sha256:1', 'start_failed', /image is no longer in the engine. Deploy again/],
  [404, 'network berth-1 not found', 'start_failed', /could not start it: network berth-1 not found\.$/],
  [500, 'write /x: no space left on device', 'out_of_capacity', /no capacity for another instance: write/],
  [500, 'fork/exec: resource temporarily unavailable', 'out_of_capacity', /no capacity/],
  [400, 'exec: "nope": executable file not found in $PATH', 'start_failed', /^The program could not be executed: exec/],
  [400, 'exec /app: exec format error', 'start_failed', /^The program could not be executed/],
])('%i %s', (status, said, code, message) => {
  const error = response(status, said);
  expect(translateStartError(error)).toMatchObject({ code, message: expect.stringMatching(message), cause: error });
});

// Fails when errors that say enough, or come from elsewhere, are replaced.
test('all other errors stay what they are', () => {
  for (const error of [createError('out_of_capacity', 'No subnet.'), new Error('bug'), new DOMException('x')]) {
    expect(translateStartError(error)).toBe(error);
  }
});
