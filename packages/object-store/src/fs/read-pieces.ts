import type { FileHandle } from 'node:fs/promises';
import type { ByteRange } from '../object-store.ts';

/** Bytes per read: a larger piece leaves the CPU caches before it is sent. */
const PIECE_BYTES = 256 * 1024;

/**
 * Reads a range in two alternating buffers: one is filled while the other is consumed. Allocating memory for each piece
 * costs more than reading and sending it.
 * @throws Error when the file ends before the range; what `take` throws.
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
      // The next one to wait for it sees the error.
      current.taken.catch(() => {});
      [current, next] = [next, current];
    }
  } finally {
    await Promise.allSettled([current.taken, next.taken]);
  }
  await Promise.all([current.taken, next.taken]);
}
