import { constants, type Stats } from 'node:fs';
import { type FileHandle, lchown, open } from 'node:fs/promises';
import type { Identity } from './identity.ts';
import { ignoreMissing, type TreeEntry, walkOpenFolder, walkTree } from './walk-tree.ts';

const ROOT = 0;
const PERMISSIONS = 0o7777;

/**
 * Makes a tree the identity's own. For trees of the server: a file that belongs to somebody else, or that has a second
 * name outside which may be somebody else's, is left as it is.
 */
export async function giveTree(root: string, identity: Identity): Promise<void> {
  await walkTree(root, async ({ path, stats }) => {
    if (!isSafeToChange(stats, identity) || (stats.uid === identity.uid && stats.gid === identity.gid)) return;
    await lchown(path, identity.uid, identity.gid).catch(ignoreMissing);
  });
}

/**
 * Takes a tree back: the server's own; the identity may read what its owner could, and write nothing. Other users are
 * kept out by the root's mode. The root goes first, so that nobody reaches what is below while it changes hands.
 */
export async function sealTree(root: string, identity: Identity): Promise<void> {
  await walkTree(root, async (entry) => {
    if (!isSafeToChange(entry.stats, identity)) return;
    await lchown(entry.path, ROOT, identity.gid).catch(ignoreMissing);
    const mode = entry.stats.mode & PERMISSIONS;
    const sealed = entry.path === root ? sealedMode(mode) & ~0o007 : sealedMode(mode);
    // Most files of a build are 0644 already: two calls for each that need not be made.
    if (sealed !== mode) await changeMode(entry, sealed);
  });
}

/** The group may read and run what the owner may; only the owner writes; no setuid, setgid or sticky bit. */
export function sealedMode(mode: number): number {
  return (mode & 0o755) | ((mode & 0o500) >> 3);
}

/**
 * Makes a volume's folder one that all services of the account may read and write: the account's group owns it, and
 * what is made in it later inherits that (setgid). Walks the tree only when its root does not say so already.
 * @param folder Open, because a tenant may be changing the way to it.
 * @param path Its name.
 */
export async function shareWithAccount(folder: FileHandle, path: string, identity: Identity): Promise<void> {
  const { uid, gid, mode } = await folder.stat();
  if (gid === identity.accountGid && (mode & 0o2070) === 0o2070) return;
  await walkOpenFolder(folder, path, async (entry) => {
    if (entry.stats.isSymbolicLink() || (entry.stats.isFile() && entry.stats.nlink > 1)) return;
    await share(entry, identity);
  });
  // Last, because it is the mark that all of it was done.
  await folder.chown(uid, identity.accountGid);
  await folder.chmod((mode & PERMISSIONS & ~0o007) | 0o2770);
}

async function share(entry: TreeEntry, identity: Identity): Promise<void> {
  const extra = entry.stats.isDirectory() ? 0o2070 : 0o060;
  await lchown(entry.path, entry.stats.uid, identity.accountGid).catch(ignoreMissing);
  await changeMode(entry, (entry.stats.mode & PERMISSIONS) | extra);
}

function isSafeToChange(stats: Stats, identity: Identity): boolean {
  if (stats.uid === identity.uid || stats.isDirectory()) return true;
  return stats.uid === ROOT && (stats.nlink === 1 || stats.isSymbolicLink());
}

/** chmod(2) follows symlinks: the entry is opened without following one and changed through the descriptor. */
async function changeMode({ path, stats }: TreeEntry, mode: number): Promise<void> {
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
