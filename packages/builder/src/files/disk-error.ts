import { createError } from '@berth/contract';

/** Returns ENOSPC and EDQUOT as an `out_of_capacity` error; every other error unchanged. */
export function translateDiskError(error: unknown): unknown {
  const code = errorCode(error);
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  return createError('out_of_capacity', 'The disk of this server is full. The operator must free some space.', {
    cause: error,
  });
}

/** Returns the `code` of a system error, such as `ENOENT`; undefined for anything else. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
