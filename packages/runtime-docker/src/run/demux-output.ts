import type { OutputStream } from '@berth/runtime';

/** A chunk of a container's output. */
export interface OutputChunk {
  readonly stream: OutputStream;
  readonly chunk: Uint8Array;
}

/** Stream type, three zero bytes, length in big endian. Source: Docker Engine API, ContainerAttach, "Stream format". */
const HEADER_BYTES = 8;
const STDERR = 2;

/**
 * Splits the stream of an engine into the container's stdout and stderr. Payload is yielded as it arrives, without waiting for the end of a
 * frame, which may have any length.
 */
export async function* demuxOutput(source: AsyncIterable<Buffer>): AsyncGenerator<OutputChunk> {
  let header = Buffer.alloc(0);
  let stream: OutputStream = 'stdout';
  let left = 0;
  for await (const received of source) {
    for (let rest = received; rest.length > 0; ) {
      if (left > 0) {
        const chunk = rest.subarray(0, left);
        left -= chunk.length;
        rest = rest.subarray(chunk.length);
        yield { stream, chunk };
        continue;
      }
      const missing = HEADER_BYTES - header.length;
      header = Buffer.concat([header, rest.subarray(0, missing)]);
      rest = rest.subarray(missing);
      if (header.length < HEADER_BYTES) break;
      stream = header[0] === STDERR ? 'stderr' : 'stdout';
      left = header.readUInt32BE(4);
      header = Buffer.alloc(0);
    }
  }
}
