import { BerthError } from '@berth/kit';

/** A folder that can't be packed as it is: `archive_invalid`, found before anything was sent. */
export function packError(message: string, cause?: unknown): BerthError {
  return new BerthError({ code: 'archive_invalid', status: 422, message, cause });
}
