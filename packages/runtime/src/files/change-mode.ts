import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { TreeEntry } from './walk-tree.ts';

/**
 * Sets the permissions of a file or folder, and ignores an entry of another kind or one that has vanished. The entry is opened without
 * following a symlink and changed through its descriptor, because chmod(2) follows symlinks.
 */
export async function changeMode({ path, stats }: TreeEntry, mode: number): Promise<void> {
  if (!stats.isFile() && !stats.isDirectory()) return;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(path, flags).catch(ignoreVanished);
  if (!handle) return;
  await using file = handle;
  await file.chmod(mode);
}

/** For `catch`: returns undefined when the entry has vanished or become a symlink, and rethrows any other error. */
function ignoreVanished(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOENT' && code !== 'ELOOP' && code !== 'ENXIO') throw error;
  return undefined;
}
