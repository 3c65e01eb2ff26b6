import { createError } from '@berth/contract';
import type { AnyContext } from './http-env.ts';

/**
 * Reads the whole body of a request.
 * @throws `payload_too_large` as soon as it exceeds `limitBytes`.
 */
export async function readBody(c: AnyContext, limitBytes: number): Promise<Uint8Array> {
  const tooLarge = () => createError('payload_too_large', `The body is larger than ${limitBytes} bytes.`);
  if (Number(c.req.header('content-length') ?? 0) > limitBytes) throw tooLarge();
  if (!c.req.raw.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of c.req.raw.body) {
    size += chunk.length;
    if (size > limitBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
