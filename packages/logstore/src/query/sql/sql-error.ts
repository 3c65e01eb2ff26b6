import { createError, createValidationError } from '@berth/contract';
import { BerthError } from '@berth/kit';
import { isNode } from './sql-tree.ts';

/** Returns the 422 for a query that can't run as written. Source: docs/contract/control-plane.md §7. */
export function queryError(message: string, type = 'query_invalid'): BerthError {
  return createValidationError([{ loc: ['body', 'query'], msg: message, type }]);
}

/** A construct that has no faithful translation. `translateText` and `parseQuery` turn it into a 422 with its position. */
export class Untranslatable extends Error {
  /** UTF-8 bytes from the start of the parsed text; undefined when the position is unknown. */
  readonly byteOffset: number | undefined;

  /** @param nodes of the statement; the first with a position gives the error's. */
  constructor(message: string, ...nodes: readonly unknown[]) {
    super(message);
    this.name = 'Untranslatable';
    const locations = nodes.map((node) => (isNode(node) ? node['query_location'] : undefined));
    this.byteOffset = locations.find((place): place is number => typeof place === 'number' && place > 0);
  }
}

/** Returns the error of a query that may succeed later. */
export function queryUnavailable(message: string, cause?: unknown): BerthError {
  return createError('unavailable', message, { cause });
}

/** The cause of the error of a query that met a log file it couldn't read. */
class UnreadableFiles extends Error {}

/** Returns the error of a query that met a log file it couldn't read. It names no file: it is for the caller. */
export function unreadableError(message: string, cause?: unknown): BerthError {
  return queryUnavailable(message, new UnreadableFiles('a log file cannot be read', { cause }));
}

export function isUnreadableError(error: unknown): boolean {
  return BerthError.is(error) && error.cause instanceof UnreadableFiles;
}

const MEMORY = 'query_memory';

/** Returns the error of a query that asked for more memory than allowed. */
export function memoryError(limitBytes: number): BerthError {
  return queryError(
    `The query needs more memory than the ${Math.floor(limitBytes / 2 ** 20)} MiB allowed. Aggregate over fewer groups or a shorter time range.`,
    MEMORY,
  );
}

export function isMemoryError(error: unknown): boolean {
  if (!BerthError.is(error)) return false;
  const [issue] = (error.details?.['issues'] ?? []) as readonly { readonly type?: string }[];
  return issue?.type === MEMORY;
}

/** Returns the error of a query that did not end in time. */
export function timeoutError(timeoutMs: number): BerthError {
  return queryError(
    `The query took longer than ${timeoutMs / 1_000} s. Query a shorter time range, fewer deployments or fewer columns.`,
    'query_timeout',
  );
}
