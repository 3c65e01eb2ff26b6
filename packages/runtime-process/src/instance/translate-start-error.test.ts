import { expect, test } from 'vitest';
import { NotExecutedError } from '../launch/launch-spec.ts';
import { translateStartError } from './translate-start-error.ts';

// Fails when a code is left out, or a lack of room is told as a failed start.
test.each(['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE', 'ENOSPC', 'EDQUOT'])('%s is a lack of room', (code) => {
  const error = Object.assign(new Error('x'), { code });
  expect(translateStartError(error)).toMatchObject({
    code: 'out_of_capacity',
    message: `This machine has no capacity for another instance (${code}).`,
    cause: error,
  });
});

test('what the program or its arguments are to blame for is start_failed', () => {
  expect(translateStartError(new NotExecutedError('exec format error'))).toMatchObject({
    code: 'start_failed',
    message: 'The program could not be executed: exec format error',
  });
  expect(translateStartError(Object.assign(new Error('x'), { code: 'E2BIG' }))).toMatchObject({ code: 'start_failed' });
  const other = Object.assign(new Error('x'), { code: 'EACCES' });
  expect(translateStartError(other)).toBe(other);
});
