import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { OutboundError } from './outbound-error.ts';

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Whether {@link decodeBody} knows an encoding of a body. */
export function isDecodable(encoding: string): boolean {
  return Object.hasOwn(DECODERS, encoding.trim().toLowerCase());
}

/**
 * What a server meant that compresses though it was asked not to. A small body may become a large one: count what comes out.
 * @throws OutboundError `broken` for bytes that are not so encoded, and for encodings that are not known.
 */
export async function* decodeBody(
  encoding: string | undefined,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const name = (encoding ?? 'identity').trim().toLowerCase();
  if (name === 'identity' || name === '') {
    yield* body;
    return;
  }
  const decoder = Object.hasOwn(DECODERS, name) ? DECODERS[name]?.() : undefined;
  if (!decoder) throw new OutboundError('broken', 'The answer is encoded in a way that is not known here.');
  const source = Readable.from(body, { objectMode: false });
  pipeline(source, decoder, () => {});
  try {
    yield* decoder as AsyncIterable<Uint8Array>;
  } catch (error) {
    // The source's own failure says more than the decoder's.
    if (source.errored) throw source.errored;
    throw new OutboundError('broken', 'The answer is not encoded as it says.', { cause: error });
  } finally {
    source.destroy();
    decoder.destroy();
  }
}
