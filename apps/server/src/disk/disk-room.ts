import { statfs } from 'node:fs/promises';
import { formatBytes } from '@berth/builder/image';
import { createError } from '@berth/contract';

/** Below this much free space the disk counts as full. Uploads of objects keep the same (`RESERVED_BYTES` of object-store-fs). */
export const FULL_BELOW_BYTES = 64 * 2 ** 20;

/** Bytes that this process can still write on the disk of `folder`: root may use what a file system keeps from others. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bfree, bsize } = await statfs(folder);
  return bsize * (process.getuid?.() === 0 ? bfree : bavail);
}

/**
 * @param what is on the disk, as the start of a sentence; the path is left out, since callers without a credential read it.
 * @throws BerthError `insufficient_storage` that says what can't be written, when the disk of `folder` is full.
 */
export async function requireRoom(folder: string, what: string): Promise<void> {
  const freeBytes = await freeBytesOf(folder);
  if (freeBytes >= FULL_BELOW_BYTES) return;
  throw createError(
    'insufficient_storage',
    `${what} can't be written: the disk has ${formatBytes(freeBytes)} free, and Berth needs ${formatBytes(FULL_BELOW_BYTES)}. ` +
      'Free some space.',
  );
}
