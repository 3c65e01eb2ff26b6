import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from './disk-error.ts';

/**
 * Removes a tree, folders that forbid it included (package caches make theirs read-only); nothing there is fine.
 * Never follows a symlink. Nothing else may write to it meanwhile: seal what a tenant could write to first.
 */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    if (!['EACCES', 'EPERM', 'ENOTEMPTY'].includes(errorCode(error) ?? '')) throw error;
    await openFolders(path);
    await rm(path, { recursive: true, force: true });
  }
}

async function openFolders(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (!found?.isDirectory()) return;
  await chmod(path, 0o700);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await openFolders(join(path, entry.name));
  }
}
