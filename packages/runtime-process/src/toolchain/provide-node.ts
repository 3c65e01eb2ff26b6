import { copyFile, link, lstat, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ignoreMissing } from '@berth/runtime/files';
import { makeFolder } from '../host/make-folder.ts';

/**
 * Makes `<folder>/bin/node` this platform's Node, runnable by every service: a symlink where they can reach the original,
 * else a hard link, else (another disk) a copy, which is kept while it is the same.
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
    // Not everywhere may one link what is another user's, and never across disks.
    await link(source, temporary).catch(() => copyFile(source, temporary));
  }
  await rename(temporary, target);
}

/** By device and inode, or for a copy by size and being newer. */
async function isSameFile(source: string, target: string): Promise<boolean> {
  const [original, copy] = await Promise.all([stat(source), lstat(target).catch(ignoreMissing)]);
  if (!copy?.isFile()) return false;
  if (original.dev === copy.dev && original.ino === copy.ino) return true;
  return original.size === copy.size && copy.mtimeMs >= original.mtimeMs;
}
