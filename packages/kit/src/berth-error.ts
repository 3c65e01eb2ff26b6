/** Properties of a new {@link BerthError}. */
export interface BerthErrorOptions {
  /** Stable snake_case identifier. `@berth/contract` lists all codes. */
  readonly code: string;
  /** A sentence for the user that says what to do next. Never contains a secret. */
  readonly message: string;
  /** HTTP status of the error response. */
  readonly status: number;
  /** Whether the same call may succeed later without a change. Default: false. */
  readonly isRetryable?: boolean;
  /** Additional machine-readable fields that are safe to show the caller. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

const BRAND = Symbol.for('berth.error');

/**
 * The base class of every error that Berth expects and shows to a caller. Anything else that is thrown is a bug: it is
 * logged and shown as `internal`.
 */
export class BerthError extends Error {
  readonly code: string;
  readonly status: number;
  readonly isRetryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;
  readonly [BRAND] = true;

  constructor(options: BerthErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'BerthError';
    this.code = options.code;
    this.status = options.status;
    this.isRetryable = options.isRetryable ?? false;
    this.details = options.details ?? {};
  }

  /** Reports whether `value` is a BerthError from any copy of this package and, if `code` is given, has that code. */
  static is(value: unknown, code?: string): value is BerthError {
    return (
      typeof value === 'object' &&
      value !== null &&
      BRAND in value &&
      (code === undefined || (value as BerthError).code === code)
    );
  }
}
