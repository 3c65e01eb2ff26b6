import { createError, createValidationError } from '@berth/contract';
import type { BerthError } from '@berth/kit';

/** A query that can't be run as it is written: the 422 at its field. Source: spec control-plane 7. */
export function queryError(message: string, type = 'query_invalid'): BerthError {
  return createValidationError([{ loc: ['body', 'query'], msg: message, type }]);
}

/** A query that may be run at another time. */
export function queryUnavailable(message: string, cause?: unknown): BerthError {
  return createError('unavailable', message, { cause });
}
