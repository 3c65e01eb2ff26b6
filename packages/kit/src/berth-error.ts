/** What is needed to make a {@link BerthError}. */
export interface BerthErrorOptions {
  /** Stable snake_case word; the table of all of them is in `@berth/contract`. */
  readonly code: string;
  /** A sentence the person who sees it can act on. Never holds a secret. */
  readonly message: string;
  /** HTTP status it is rendered with. */
  readonly status: number;
  /** Whether the same call may succeed later without a change. */
  readonly isRetryable?: boolean;
  /** Machine-readable extras that are safe to show the caller. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

const BRAND = Symbol.for('berth.error');

/**
 * The base of every error that Berth expects to happen and shows to a caller.
 * Anything else that is thrown is a bug, is logged, and is shown as `internal`.
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

  /** True for a BerthError of any copy of this package; `code` narrows to one kind. */
  static is(value: unknown, code?: string): value is BerthError {
    return (
      typeof value === 'object' &&
      value !== null &&
      BRAND in value &&
      (code === undefined || (value as BerthError).code === code)
    );
  }
}
