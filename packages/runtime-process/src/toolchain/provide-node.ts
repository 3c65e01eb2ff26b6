import { copyFile, link, lstat, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ignoreMissing } from '@berth/runtime/files';
import { makeFolder } from '../host/make-folder.ts';

/**
 * Provides the platform's Node at `<folder>/bin/node`, where every service can run it: a symlink if services can reach the original, else a
 * hard link, else (on another disk) a copy, which is kept while it is up to date.
 */
export async function provideNode(
  folder: string,
  nodePath: string,
  isVisible: (path: string) => boolean,
): Promise<void> {
  const source = await realpath(nodePath);
  const target = join(folder, 'bin', 'node');
  await makeFolder(dirname(target), 0o755);
  const temporary = `${target}.new`;
  await rm(temporary, { force: true });
  if (isVisible(source)) {
    await symlink(source, temporary);
  } else {
    if (await isSameFile(source, target)) return;
    // A hard link fails across disks, and on some systems for files of other users.
    await link(source, temporary).catch(() => copyFile(source, temporary));
  }
  await rename(temporary, target);
}

/** Compares device and inode, or, for a copy, size and modification time. */
async function isSameFile(source: string, target: string): Promise<boolean> {
  const [original, copy] = await Promise.all([stat(source), lstat(target).catch(ignoreMissing)]);
  if (!copy?.isFile()) return false;
  if (original.dev === copy.dev && original.ino === copy.ino) return true;
  return original.size === copy.size && copy.mtimeMs >= original.mtimeMs;
}
