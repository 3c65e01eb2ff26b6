import { PassThrough, type Readable } from 'node:stream';
import { createError } from '@berth/contract';
import { type AnyContext, pumpBody, requestBody } from '@berth/http';
import type { Clock } from '@berth/kit';

export interface ReceiveRawOptions<Value> {
  readonly clock: Clock;
  readonly maxBytes: number;
  /** Reads the body to its end. */
  take(bytes: Readable, signal: AbortSignal): Promise<Value>;
}

/**
 * Reads a body that is a single file.
 * @throws `payload_too_large`, before anything is read when the client says how much comes; `unsupported_media_type` for
 *   encoded bytes; `bad_request` when it breaks off; what `take` throws.
 */
export async function receiveRaw<Value>(c: AnyContext, options: ReceiveRawOptions<Value>): Promise<Value> {
  const { clock, maxBytes, take } = options;
  if ((c.req.header('content-encoding') ?? 'identity') !== 'identity') {
    throw createError(
      'unsupported_media_type',
      'Content-Encoding is not supported. Send the bytes exactly as they should be stored.',
    );
  }
  if (Number(c.req.header('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const failed = new AbortController();
  const bytes = new PassThrough();
  // The client may go away before anyone reads it; whoever does is told then.
  bytes.on('error', () => {});
  const work = take(bytes, failed.signal);
  work.catch((error: unknown) => failed.abort(error));
  try {
    await pumpBody(requestBody(c), bytes, { clock, signal: failed.signal });
    return await work;
  } catch (error) {
    failed.abort(error);
    bytes.destroy(error as Error);
    await work.catch(() => {});
    throw error;
  }
}

export function tooLarge(maxBytes: number) {
  return createError('payload_too_large', `An upload has at most ${maxBytes} bytes. Nothing was stored.`);
}
