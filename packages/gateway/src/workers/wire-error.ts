import { BerthError, describeError } from '@berth/kit';

/** An error in the form in which it is sent to another process. */
export interface WireError {
  /** Code of a {@link BerthError}; absent for any other error. */
  readonly code?: string;
  readonly message: string;
  readonly status: number;
  readonly isRetryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;
  /** The causes, as text for the log. */
  readonly cause?: string;
}

/** Converts an error for sending. The causes become text; code, message, status and details are kept. */
export function toWireError(error: unknown): WireError {
  if (!BerthError.is(error)) {
    return { message: describeError(error), status: 500, isRetryable: false, details: {} };
  }
  const { code, message, status, isRetryable, details, cause } = error;
  return {
    code,
    message,
    status,
    isRetryable,
    details,
    ...(cause === undefined ? {} : { cause: describeError(cause) }),
  };
}

/** Restores a sent error as a {@link BerthError} when it has a code, else as an Error. */
export function fromWireError({ code, message, status, isRetryable, details, cause }: WireError): Error {
  if (code === undefined) return new Error(message);
  return new BerthError({ code, message, status, isRetryable, details, ...(cause === undefined ? {} : { cause }) });
}
