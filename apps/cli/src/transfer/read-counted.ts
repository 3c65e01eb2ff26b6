import { createReadStream } from 'node:fs';

/** A range of a file whose bytes are counted as they are read. */
export interface CountedRange {
  /** First byte. */
  readonly start: number;
  /** One past the last byte. Bytes appended meanwhile are left out. */
  readonly end: number;
}

/** Large enough that the overhead of a chunk doesn't matter. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Yields a file's bytes. A chunk is counted when the next one is requested.
 * @throws Error when the file became shorter, so that a receiver that expects its size doesn't wait forever
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
  if (left > 0) throw new Error(`${file} was truncated while it was read`);
}
