import { createError, createValidationError } from '@berth/contract';
import { BerthError } from '@berth/kit';

/** A query that can't be run as it is written: the 422 at its field. Source: docs/contract/control-plane.md §7. */
export function queryError(message: string, type = 'query_invalid'): BerthError {
  return createValidationError([{ loc: ['body', 'query'], msg: message, type }]);
}

/** A construct of a query that has no faithful translation. `parseQuery` turns it into the 422 at its place. */
export class Untranslatable extends Error {
  /** Bytes of UTF-8 from the start of the text that the engine parsed; undefined where the place is not known. */
  readonly byteOffset: number | undefined;

  constructor(message: string, byteOffset: number | undefined) {
    super(message);
    this.name = 'Untranslatable';
    this.byteOffset = byteOffset;
  }
}

/** A query that may be run at another time. */
export function queryUnavailable(message: string, cause?: unknown): BerthError {
  return createError('unavailable', message, { cause });
}

const MEMORY = 'query_memory';

/** A query that asked for more memory than a query may have. */
export function memoryError(limitBytes: number): BerthError {
  return queryError(
    `The query needs more memory than the ${Math.floor(limitBytes / 2 ** 20)} MiB that a query may have. Aggregate over fewer groups, or ask for less time.`,
    MEMORY,
  );
}

export function isMemoryError(error: unknown): boolean {
  if (!BerthError.is(error)) return false;
  const [issue] = (error.details?.['issues'] ?? []) as readonly { readonly type?: string }[];
  return issue?.type === MEMORY;
}

/** A query that did not end in time. */
export function timeoutError(timeoutMs: number): BerthError {
  return queryError(
    `The query took longer than ${timeoutMs / 1_000} s. Ask for less time, fewer deployments or fewer columns.`,
    'query_timeout',
  );
}
