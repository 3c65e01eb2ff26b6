import type { Stats } from 'node:fs';
import { lchown } from 'node:fs/promises';
import type { SealOptions } from '@berth/runtime';
import { changeMode, ignoreMissing, walkTree } from '@berth/runtime/files';
import type { Identity } from './identity.ts';

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
    // Most files of a build are 0644 already: two calls for each that need not be made.
    if (sealed !== mode) await changeMode(entry, sealed);
  });
}

/** The group may read and run what the owner may; only the owner writes; no setuid, setgid or sticky bit. */
export function sealedMode(mode: number): number {
  return (mode & 0o755) | ((mode & 0o500) >> 3);
}

function isSafeToChange(stats: Stats, identity: Identity): boolean {
  if (stats.uid === identity.uid || stats.isDirectory()) return true;
  return stats.uid === ROOT && (stats.nlink === 1 || stats.isSymbolicLink());
}
