import { createError } from '@berth/contract';
import { BerthError } from '@berth/kit';

interface ServiceError {
  readonly name?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

export function isNotFound(error: unknown): boolean {
  const { name, $metadata } = error as ServiceError;
  return name === 'NotFound' || name === 'NoSuchKey' || $metadata?.httpStatusCode === 404;
}

/** Translates an error of the service, or of the connection to it, to one that a caller can act on. */
export function translateS3Error(error: unknown): unknown {
  if (BerthError.is(error)) return error;
  const { name, $metadata } = error as ServiceError;
  const status = $metadata?.httpStatusCode;
  if (status === 412 || status === 409) {
    return createError('precondition_failed', 'The object has changed; nothing was stored.', {
      cause: error,
    });
  }
  if (status === 507 || name === 'XMinioStorageFull') {
    return createError('insufficient_storage', 'The object store is full.', { cause: error });
  }
  const who = status === undefined ? 'does not respond' : `answered ${status} (${name})`;
  return createError(
    'unavailable',
    `The object store ${who}. Try again. If the problem persists, contact the operator.`,
    {
      cause: error,
    },
  );
}
