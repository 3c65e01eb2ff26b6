import { type FileHandle, lchown } from 'node:fs/promises';
import { changeMode } from './change-mode.ts';
import { ignoreMissing, type TreeEntry, walkOpenFolder } from './walk-tree.ts';

const PERMISSIONS = 0o7777;

/**
 * Lets all services of a group read and write a volume's folder: the group owns the tree, and new entries inherit the group (setgid).
 * Returns at once when the folder's own group and mode show that this was done before. Requires root.
 * @param folder An open handle, because a tenant may change the path meanwhile.
 * @param path The path of `folder`.
 */
export async function shareWithGroup(folder: FileHandle, path: string, group: number): Promise<void> {
  const { uid, gid, mode } = await folder.stat();
  if (gid === group && (mode & 0o2070) === 0o2070) return;
  await walkOpenFolder(folder, path, async (entry) => {
    if (entry.stats.isSymbolicLink() || (entry.stats.isFile() && entry.stats.nlink > 1)) return;
    await share(entry, group);
  });
  // The folder itself comes last, because its mode marks the whole tree as done.
  await folder.chown(uid, group);
  await folder.chmod((mode & PERMISSIONS & ~0o007) | 0o2770);
}

async function share(entry: TreeEntry, group: number): Promise<void> {
  const extra = entry.stats.isDirectory() ? 0o2070 : 0o060;
  await lchown(entry.path, entry.stats.uid, group).catch(ignoreMissing);
  await changeMode(entry, (entry.stats.mode & PERMISSIONS) | extra);
}
