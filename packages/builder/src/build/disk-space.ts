import { statfs } from 'node:fs/promises';
import { createError } from '@berth/contract';
import { formatBytes } from '../files/format-bytes.ts';

/**
 * Checks the free space of the disk that holds `folder`. @throws BerthError `out_of_capacity` if less than `freeBytes`
 * are free.
 */
export async function requireDiskSpace(folder: string, freeBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free >= freeBytes) return;
  throw createError(
    'out_of_capacity',
    `The disk of this server has ${formatBytes(free)} free; builds need ${formatBytes(freeBytes)}. The operator must free some space.`,
  );
}
