import { createError, LIMITS } from '@berth/contract';
import type { ApiContext } from './api.ts';

/**
 * The whole body of a request.
 * @throws `payload_too_large` as soon as it is over {@link LIMITS.jsonBodyBytes}.
 */
export async function readBody(c: ApiContext): Promise<Uint8Array> {
  const tooLarge = () => createError('payload_too_large', `The body is over ${LIMITS.jsonBodyBytes} bytes.`);
  if (Number(c.req.header('content-length') ?? 0) > LIMITS.jsonBodyBytes) throw tooLarge();
  if (!c.req.raw.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of c.req.raw.body) {
    size += chunk.length;
    if (size > LIMITS.jsonBodyBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
