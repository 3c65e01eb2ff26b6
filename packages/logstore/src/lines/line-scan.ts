import type { ReadableFile } from './log-files.ts';

/** Bytes read at a time: some hundred entries. */
const CHUNK_BYTES = 65_536;
const NEWLINE = 10;

/** Called with a line, newline included, and its offset in the file; returning `false` ends the scan. */
export type LineVisitor = (line: Buffer, start: number) => boolean | undefined;

/** A range of a file, in bytes. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Visits the lines of a range, first to last. `start` must be the start of a line; a last line without a newline is
 * skipped.
 */
export async function scanForward(file: ReadableFile, range: ByteRange, visit: LineVisitor): Promise<void> {
  let position = range.start;
  let carry: Buffer | undefined;
  while (position < range.end) {
    const chunk = await file.read(position, Math.min(CHUNK_BYTES, range.end - position));
    if (chunk.length === 0) return;
    const data = carry ? Buffer.concat([carry, chunk]) : chunk;
    const dataStart = position - (carry?.length ?? 0);
    let lineStart = 0;
    let newline = data.indexOf(NEWLINE, carry?.length ?? 0);
    while (newline !== -1) {
      if (visit(data.subarray(lineStart, newline + 1), dataStart + lineStart) === false) return;
      lineStart = newline + 1;
      newline = data.indexOf(NEWLINE, lineStart);
    }
    carry = lineStart < data.length ? data.subarray(lineStart) : undefined;
    position += chunk.length;
  }
}

/** Visits the lines of the first `end` bytes, last to first, including a last line without a newline. */
export async function scanBackward(file: ReadableFile, end: number, visit: LineVisitor): Promise<void> {
  let position = end;
  let carry: Buffer = Buffer.alloc(0);
  while (position > 0) {
    const length = Math.min(CHUNK_BYTES, position);
    position -= length;
    const data = Buffer.concat([await file.read(position, length), carry]);
    let lineEnd = data.length;
    while (lineEnd > 0) {
      // The byte before lineEnd is this line's own newline. lastIndexOf would count a negative offset from the end.
      const previous = lineEnd < 2 ? -1 : data.lastIndexOf(NEWLINE, lineEnd - 2);
      if (previous === -1 && position > 0) break;
      if (visit(data.subarray(previous + 1, lineEnd), position + previous + 1) === false) return;
      lineEnd = previous + 1;
    }
    carry = data.subarray(0, lineEnd);
  }
}
