import type { ErrorCode } from '@berth/contract';
import { BerthError } from '@berth/kit';

/**
 * Status of each code, and whether another try may help. The same as `ERRORS` of the contract for these codes (a test
 * compares them); repeated because that module brings the schemas with it, which a program that only calls does not need.
 */
export const CLIENT_ERRORS = {
  bad_request: { status: 400, isRetryable: false },
  unauthenticated: { status: 401, isRetryable: false },
  forbidden: { status: 403, isRetryable: false },
  not_found: { status: 404, isRetryable: false },
  conflict: { status: 409, isRetryable: false },
  payload_too_large: { status: 413, isRetryable: false },
  unsupported_media_type: { status: 415, isRetryable: false },
  invalid: { status: 422, isRetryable: false },
  too_many_requests: { status: 429, isRetryable: true },
  internal: { status: 500, isRetryable: true },
  not_available: { status: 501, isRetryable: false },
  unavailable: { status: 503, isRetryable: true },
} as const satisfies Partial<Record<ErrorCode, { status: number; isRetryable: boolean }>>;

export type ClientErrorCode = keyof typeof CLIENT_ERRORS;

interface Extras {
  readonly status?: number;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** Makes a {@link BerthError} of `code`; `status` overrides the code's usual one. */
export function clientError(code: ClientErrorCode, message: string, extras: Extras = {}): BerthError {
  return new BerthError({ code, message, ...CLIENT_ERRORS[code], ...extras });
}
