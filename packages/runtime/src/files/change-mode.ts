import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { TreeEntry } from './walk-tree.ts';

/** chmod(2) follows symlinks: the entry is opened without following one and changed through the descriptor. */
export async function changeMode({ path, stats }: TreeEntry, mode: number): Promise<void> {
  if (!stats.isFile() && !stats.isDirectory()) return;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(path, flags).catch(ignoreVanished);
  if (!handle) return;
  await using file = handle;
  await file.chmod(mode);
}

/** Gone, or a symlink by now: then there is nothing to change. */
function ignoreVanished(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOENT' && code !== 'ELOOP' && code !== 'ENXIO') throw error;
  return undefined;
}
