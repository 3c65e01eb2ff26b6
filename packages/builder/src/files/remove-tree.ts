import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from './disk-error.ts';

/**
 * Removes a tree if it exists, including read-only folders (package caches have these). Never follows symlinks. Nothing
 * else may write to the tree meanwhile: seal folders that a tenant could write to first.
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
