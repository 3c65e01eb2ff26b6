import type { FileHandle } from 'node:fs/promises';
import type { ByteRange } from '../object-store.ts';

/** Read at once: larger ones leave the caches of a CPU between being read and being sent. */
const PIECE_BYTES = 256 * 1024;

/**
 * Reads a range in two buffers that take turns: one is read into while the other is taken. New memory for each piece
 * costs more than reading and sending it.
 * @throws Error when the file ends before the range, and what `take` says.
 */
export async function readPieces(
  file: FileHandle,
  { first, last }: ByteRange,
  take: (piece: Uint8Array) => Promise<void>,
): Promise<void> {
  const pieceBytes = Math.min(PIECE_BYTES, last - first + 1);
  if (pieceBytes <= 0) return;
  const buffers = [Buffer.allocUnsafeSlow(pieceBytes), Buffer.allocUnsafeSlow(pieceBytes)] as const;
  let [current, next] = [
    { buffer: buffers[0], taken: Promise.resolve() },
    { buffer: buffers[1], taken: Promise.resolve() },
  ];
  try {
    for (let position = first; position <= last; ) {
      await current.taken;
      const wanted = Math.min(pieceBytes, last - position + 1);
      const { bytesRead } = await file.read(current.buffer, 0, wanted, position);
      if (bytesRead === 0) throw new Error('the file was cut off while it was read');
      position += bytesRead;
      current.taken = take(current.buffer.subarray(0, bytesRead));
      // Whoever waits for it next is told.
      current.taken.catch(() => {});
      [current, next] = [next, current];
    }
  } finally {
    await Promise.allSettled([current.taken, next.taken]);
  }
  await Promise.all([current.taken, next.taken]);
}
