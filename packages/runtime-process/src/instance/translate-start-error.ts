import { createError } from '@berth/contract';
import { NotExecutedError } from '../launch/launch-spec.ts';

/** What the machine answers when it is full, whatever of it (errno(3)). */
const NO_ROOM = new Set(['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE', 'ENOSPC', 'EDQUOT']);

/** Errors of the system on the way to a running program, as those of the port; others as they came. */
export function translateStartError(error: unknown): unknown {
  if (error instanceof NotExecutedError) {
    return createError('start_failed', `The program could not be executed: ${error.message}`, { cause: error });
  }
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && NO_ROOM.has(code)) {
    return createError('out_of_capacity', `This machine has no room for another instance (${code}).`, { cause: error });
  }
  if (code === 'E2BIG') {
    return createError('start_failed', 'Its command and environment are too long.', { cause: error });
  }
  return error;
}
