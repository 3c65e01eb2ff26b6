import type { Stats } from 'node:fs';
import { lchown } from 'node:fs/promises';
import type { SealOptions } from '@berth/runtime';
import { changeMode, ignoreMissing, walkTree } from '@berth/runtime/files';
import type { Identity } from './can-reach.ts';

const ROOT = 0;
const PERMISSIONS = 0o7777;

/**
 * Makes the identity's user the owner of a tree that the server owns. Files of other users, and files with further hard links (which may
 * be in another person's tree), stay unchanged.
 */
export async function giveTree(root: string, identity: Identity): Promise<void> {
  await walkTree(root, async ({ path, stats }) => {
    if (!isSafeToChange(stats, identity) || (stats.uid === identity.uid && stats.gid === identity.gid)) return;
    await lchown(path, identity.uid, identity.gid).catch(ignoreMissing);
  });
}

/**
 * Makes the server the owner of a tree. The identity may read what its owner could read, and write nothing. The mode of the root keeps other
 * users out; the root is changed first, so that no one can reach the entries while their owner changes.
 */
export async function sealTree(
  root: string,
  identity: Identity,
  { wasSealed = false }: SealOptions = {},
): Promise<void> {
  await walkTree(root, async (entry) => {
    if (!wasSealed && !isSafeToChange(entry.stats, identity)) return;
    await lchown(entry.path, ROOT, identity.gid).catch(ignoreMissing);
    const mode = entry.stats.mode & PERMISSIONS;
    const sealed = entry.path === root ? sealedMode(mode) & ~0o007 : sealedMode(mode);
    // Most files of a build have this mode already, which saves two system calls for each.
    if (sealed !== mode) await changeMode(entry, sealed);
  });
}

/** Returns the mode of a sealed entry: the group may read and execute what the owner may; only the owner may write; no special bits. */
export function sealedMode(mode: number): number {
  return (mode & 0o755) | ((mode & 0o500) >> 3);
}

function isSafeToChange(stats: Stats, identity: Identity): boolean {
  if (stats.uid === identity.uid || stats.isDirectory()) return true;
  return stats.uid === ROOT && (stats.nlink === 1 || stats.isSymbolicLink());
}
