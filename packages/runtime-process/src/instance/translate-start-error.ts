import { createError } from '@berth/contract';
import { NotExecutedError } from '../launch/launch-spec.ts';

/** System errors that mean a resource is exhausted (errno(3)). */
const NO_ROOM = new Set(['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE', 'ENOSPC', 'EDQUOT']);

/** Translates system errors of a start into the errors of the `Runtime` port. Returns all other errors unchanged. */
export function translateStartError(error: unknown): unknown {
  if (error instanceof NotExecutedError) {
    return createError('start_failed', `The program could not be executed: ${error.message}`, { cause: error });
  }
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && NO_ROOM.has(code)) {
    return createError('out_of_capacity', `This machine has no capacity for another instance (${code}).`, {
      cause: error,
    });
  }
  if (code === 'E2BIG') {
    return createError('start_failed', 'Its command and environment are too long.', { cause: error });
  }
  return error;
}
