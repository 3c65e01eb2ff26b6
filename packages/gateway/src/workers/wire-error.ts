import { BerthError, describeError } from '@berth/kit';

/** An error as it crosses to another process. */
export interface WireError {
  /** Absent for a fault of the platform's own. */
  readonly code?: string;
  readonly message: string;
  readonly status: number;
  readonly isRetryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;
  /** What led to it, as text for the log. */
  readonly cause?: string;
}

/** Takes an error apart. Nothing is lost but the classes of its causes. */
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

/** The same kind of error again: a {@link BerthError} stays one. */
export function fromWireError({ code, message, status, isRetryable, details, cause }: WireError): Error {
  if (code === undefined) return new Error(message);
  return new BerthError({ code, message, status, isRetryable, details, ...(cause === undefined ? {} : { cause }) });
}
