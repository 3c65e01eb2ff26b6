import { type FileHandle, lchown } from 'node:fs/promises';
import { changeMode } from './change-mode.ts';
import { ignoreMissing, type TreeEntry, walkOpenFolder } from './walk-tree.ts';

const PERMISSIONS = 0o7777;

/**
 * Makes a volume's folder one that all services of a group may read and write: the group owns it, and what is made in it
 * later inherits that (setgid). Walks the tree only when its root does not say so already. Takes root.
 * @param folder Open, because a tenant may be changing the way to it.
 * @param path Its name.
 */
export async function shareWithGroup(folder: FileHandle, path: string, group: number): Promise<void> {
  const { uid, gid, mode } = await folder.stat();
  if (gid === group && (mode & 0o2070) === 0o2070) return;
  await walkOpenFolder(folder, path, async (entry) => {
    if (entry.stats.isSymbolicLink() || (entry.stats.isFile() && entry.stats.nlink > 1)) return;
    await share(entry, group);
  });
  // Last, because it is the mark that all of it was done.
  await folder.chown(uid, group);
  await folder.chmod((mode & PERMISSIONS & ~0o007) | 0o2770);
}

async function share(entry: TreeEntry, group: number): Promise<void> {
  const extra = entry.stats.isDirectory() ? 0o2070 : 0o060;
  await lchown(entry.path, entry.stats.uid, group).catch(ignoreMissing);
  await changeMode(entry, (entry.stats.mode & PERMISSIONS) | extra);
}
