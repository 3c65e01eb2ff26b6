import { statfs } from 'node:fs/promises';
import { formatBytes } from '@berth/builder/image';
import { createError } from '@berth/contract';

/** Below this much free space the disk counts as full. Uploads of objects keep the same (`RESERVED_BYTES` of object-store-fs). */
export const FULL_BELOW_BYTES = 64 * 2 ** 20;

/** Returns the bytes that this process can still write on the disk of `folder`; root may also use the blocks reserved for it. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bfree, bsize } = await statfs(folder);
  return bsize * (process.getuid?.() === 0 ? bfree : bavail);
}

/**
 * Throws when the disk of `folder` is full.
 * @param what what is stored on the disk, as the start of a sentence; callers without a credential read it, so it names no path
 * @throws BerthError `insufficient_storage` that says what can't be written
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
