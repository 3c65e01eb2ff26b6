import { createError, LIMITS } from '@berth/contract';
import { readBody } from '@berth/http';
import type { ApiContext } from '../http/api.ts';

/**
 * The fields of an `application/x-www-form-urlencoded` body.
 * @throws `unsupported_media_type`, `payload_too_large`
 */
export async function readForm(c: ApiContext): Promise<URLSearchParams> {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') {
    throw createError('unsupported_media_type', 'Send application/x-www-form-urlencoded.');
  }
  return new URLSearchParams(Buffer.from(await readBody(c, LIMITS.jsonBodyBytes)).toString('utf8'));
}
