import { ERRORS, type ErrorCode } from '@berth/contract/errors';
import { BerthError } from '@berth/kit';

/** The codes of errors that the client throws. An answer with another status has the code of the nearest of them. */
export const CLIENT_ERROR_CODES = [
  'bad_request',
  'unauthenticated',
  'forbidden',
  'not_found',
  'conflict',
  'payload_too_large',
  'unsupported_media_type',
  'invalid',
  'too_many_requests',
  'internal',
  'not_available',
  'unavailable',
] as const satisfies readonly ErrorCode[];

export type ClientErrorCode = (typeof CLIENT_ERROR_CODES)[number];

interface Extras {
  readonly status?: number;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** Makes a {@link BerthError} of `code`; `status` overrides the code's usual one. */
export function clientError(code: ClientErrorCode, message: string, extras: Extras = {}): BerthError {
  const { status, isRetryable } = ERRORS[code];
  return new BerthError({ code, message, status, isRetryable, ...extras });
}
