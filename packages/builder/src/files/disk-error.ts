import { createError } from '@berth/contract';

/** ENOSPC and EDQUOT as the error a caller can act on; everything else as it came. */
export function translateDiskError(error: unknown): unknown {
  const code = errorCode(error);
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  return createError('out_of_capacity', 'The disk of this server is full; its operator has to free some space.', {
    cause: error,
  });
}

/** The `code` of a system error such as `ENOENT`; undefined for anything else. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
