import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Returns the total size in bytes of the readable files below `folder`. The result is approximate if the tree changes
 * meanwhile.
 */
export async function measureTree(folder: string): Promise<number> {
  let sizeBytes = 0;
  const entries = await opendir(folder).catch(() => undefined);
  if (entries === undefined) return 0;
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) sizeBytes += await measureTree(path);
    else sizeBytes += (await lstat(path).catch(() => undefined))?.size ?? 0;
  }
  return sizeBytes;
}
