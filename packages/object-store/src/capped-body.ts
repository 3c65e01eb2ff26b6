import type { Readable } from 'node:stream';
import { createError } from '@berth/contract';

/** Yields the bytes of a body. @throws BerthError `bad_request` when more comes than was announced; the chunks up to there were yielded. */
export async function* cappedBody(body: Readable, maxBytes: number): AsyncGenerator<Uint8Array> {
  let left = maxBytes;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    if (chunk.byteLength > left) throw createError('bad_request', 'More bytes were sent than announced.');
    left -= chunk.byteLength;
    yield chunk;
  }
}
