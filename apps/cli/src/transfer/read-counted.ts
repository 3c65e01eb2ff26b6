import { createReadStream } from 'node:fs';

/** A range of a file whose bytes are counted as they are read. */
export interface CountedRange {
  /** First byte. */
  readonly start: number;
  /** One past the last: what is written to the file meanwhile is left out. */
  readonly end: number;
}

/** Large enough that a transfer does not spend its time between chunks. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Bytes of a file; a chunk is told of when the next one is asked for.
 * @throws Error when the file became shorter: whoever was promised its size must not be left waiting for the rest.
 */
export async function* readCounted(
  file: string,
  { start, end }: CountedRange,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  if (start >= end) return;
  let left = end - start;
  for await (const chunk of createReadStream(file, { start, end: end - 1, highWaterMark: CHUNK_BYTES })) {
    yield chunk as Buffer;
    left -= (chunk as Buffer).length;
    onBytes((chunk as Buffer).length);
  }
  if (left > 0) throw new Error(`${file} became shorter while it was read`);
}
