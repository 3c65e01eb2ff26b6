import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { OutboundError } from './outbound-error.ts';

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Returns true when {@link decodeBody} supports an encoding. */
export function isDecodable(encoding: string): boolean {
  return Object.hasOwn(DECODERS, encoding.trim().toLowerCase());
}

/**
 * Decodes the body of a server that compresses although it was asked not to. A small body may become a large one, so
 * limit the output.
 * @throws OutboundError `broken` for invalid bytes, and for unknown encodings.
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
  if (!decoder) throw new OutboundError('broken', 'The response has an unsupported encoding.');
  const source = Readable.from(body, { objectMode: false });
  pipeline(source, decoder, () => {});
  try {
    yield* decoder as AsyncIterable<Uint8Array>;
  } catch (error) {
    // The source's own error says more than the decoder's.
    if (source.errored) throw source.errored;
    throw new OutboundError('broken', 'The response does not match its encoding.', { cause: error });
  } finally {
    source.destroy();
    decoder.destroy();
  }
}
